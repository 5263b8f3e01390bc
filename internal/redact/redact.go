// Package redact hides the secrets in a configuration that is shown to people.
package redact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// The texts that replace a secret, as in Hadoop. Sensitive is for a key that matches a pattern of
// hadoop.security.sensitive-config-keys. Requested is for a key that mapreduce.job.redacted-properties
// lists.
const (
	Sensitive = "<redacted>"
	Requested = "*********(redacted)"
)

// A Mask knows which keys have secret values. It is immutable.
type Mask struct {
	patterns []*regexp.Regexp
	listed   []string
}

// New returns a mask of the keys that a configuration declares secret. An invalid pattern is an error
// of kind Config.
func New(c *conf.Config) (*Mask, error) { return (&Mask{}).With(c) }

// With returns a mask of the keys that m or a configuration declares secret.
func (m *Mask) With(c *conf.Config) (*Mask, error) {
	all := &Mask{slices.Clip(m.patterns), slices.Clip(m.listed)}
	key := &conf.HadoopSecuritySensitiveConfigKeys
	for _, text := range strings.FieldsFunc(key.Get(c), func(r rune) bool { return r == ',' || r == '\n' }) {
		text = strings.TrimSpace(text)
		known := func(p *regexp.Regexp) bool { return p.String() == text }
		if text == "" || slices.ContainsFunc(all.patterns, known) {
			continue
		}
		p, err := regexp.Compile(text)
		if err != nil {
			return nil, c.Refuse(key.Name, err)
		}
		all.patterns = append(all.patterns, p)
	}
	all.list(conf.JobRedactedProperties.Get(c))
	return all, nil
}

func (m *Mask) list(keys []string) {
	for _, key := range keys {
		m.listed = append(m.listed, conf.Canonical(key))
	}
}

// Value returns the value of a key as people may see it.
func (m *Mask) Value(key, value string) string {
	switch {
	case slices.Contains(m.listed, key):
		return Requested
	case slices.ContainsFunc(m.patterns, func(p *regexp.Regexp) bool { return p.MatchString(key) }):
		return Sensitive
	}
	return value
}

// Config returns a copy of a configuration without its secrets.
func (m *Mask) Config(c *conf.Config) *conf.Config {
	shown := conf.New()
	for _, p := range c.Properties(true) {
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
	all := &Mask{m.patterns, slices.Clip(m.listed)}
	all.list(conf.JobRedactedProperties.Get(c))
	shown := *s
	shown.Conf = slices.Clone(s.Conf)
	for i, p := range shown.Conf {
		shown.Conf[i].Value = all.Value(p.Name, p.Value)
	}
	return &shown
}
