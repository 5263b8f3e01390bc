// Package redact hides the secrets in a configuration that is shown to people.
package redact

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// These texts replace a secret, as in Hadoop. Sensitive is for a key that matches a pattern of
// hadoop.security.sensitive-config-keys. Requested is for a key that
// mapreduce.job.redacted-properties lists.
const (
	Sensitive = "<redacted>"
	Requested = "*********(redacted)"
)

// A Mask records which keys have secret values. It is immutable.
type Mask struct {
	patterns []*regexp.Regexp
	listed   map[string]bool
}

// The limits of a job's list of keys.
const (
	maxListed = 1000 // keys
	maxKey    = 1000 // bytes of a key
)

// New returns a mask of the keys that a cluster's configuration declares secret. If a pattern is
// invalid, the error is of kind Config.
func New(c *conf.Config) (*Mask, error) {
	m := (&Mask{}).with(conf.JobRedactedProperties.Get(c))
	key := &conf.HadoopSecuritySensitiveConfigKeys
	for _, text := range strings.FieldsFunc(key.Get(c), func(r rune) bool { return r == ',' || r == '\n' }) {
		p, err := regexp.Compile(strings.TrimSpace(text))
		if err != nil {
			return nil, c.Refuse(key.Name, err)
		}
		if p.String() != "" {
			m.patterns = append(m.patterns, p)
		}
	}
	return m, nil
}

// With returns a mask of the keys that are in m or in the list of keys in c, a job's configuration.
// As in Hadoop's history, a job's list cannot contain patterns, because there would be no limit on
// their number and cost. If the list is too long, the error is of kind Config.
func (m *Mask) With(c *conf.Config) (*Mask, error) {
	key := &conf.JobRedactedProperties
	keys := key.Get(c)
	if len(keys) > maxListed || slices.ContainsFunc(keys, func(k string) bool { return len(k) > maxKey }) {
		return nil, c.Refuse(key.Name, fmt.Errorf("want at most %d keys of at most %d bytes", maxListed, maxKey))
	}
	return m.with(keys), nil
}

func (m *Mask) with(keys []string) *Mask {
	all := &Mask{m.patterns, maps.Clone(m.listed)}
	if all.listed == nil {
		all.listed = map[string]bool{}
	}
	for _, key := range keys {
		all.listed[conf.Canonical(key)] = true
	}
	return all
}

// Value returns the value to show to people. If key is secret, the result is a replacement for
// value.
func (m *Mask) Value(key, value string) string {
	switch {
	case m.listed[key]:
		return Requested
	case slices.ContainsFunc(m.patterns, func(p *regexp.Regexp) bool { return p.MatchString(key) }):
		return Sensitive
	case key == conf.JobEndNotificationURL.Name:
		return URL(value)
	}
	return value
}

// URL returns a URL with a replacement for the user name and the password, if it has them. The text
// need not be a valid URL.
func URL(text string) string {
	start := strings.Index(text, "//") + len("//")
	if start < len("//") {
		return text
	}
	host := text[start:]
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	at := strings.LastIndexByte(host, '@')
	if at < 0 {
		return text
	}
	return text[:start] + Sensitive + text[start+at:]
}

// Config returns a copy of a configuration without its secrets. A variable that refers to a secret
// expands to the secret's replacement.
func (m *Mask) Config(c *conf.Config) *conf.Config {
	shown := conf.New()
	for _, p := range c.Written() {
		shown.Set(p.Name, m.Value(p.Name, p.Value), p.Source)
	}
	return shown
}

// Spec returns a copy of a job's specification without the secrets in its settings.
func (m *Mask) Spec(s *job.Spec) *job.Spec {
	c := conf.New()
	if keys, ok := s.Get(conf.JobRedactedProperties.Name); ok {
		c.Set(conf.JobRedactedProperties.Name, keys, "job.xml")
	}
	all := m.with(conf.JobRedactedProperties.Get(c))
	shown := *s
	shown.Conf = slices.Clone(s.Conf)
	for i, p := range shown.Conf {
		shown.Conf[i].Value = all.Value(p.Name, p.Value)
	}
	return &shown
}
