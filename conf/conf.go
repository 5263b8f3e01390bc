// Package conf contains configuration values under Hadoop's keys. Values come from built-in
// defaults, XML files, and -D settings. Each value records its source. An old spelling of a key is
// an alias of the new one.
//
// Each of these sources overrides the ones before it:
//
//   - the defaults in this package's table
//   - core-site.xml, mapred-site.xml, and hdfs-site.xml of the configuration directory
//   - -conf files
//   - -D settings
//   - settings made by the program
//
// A property that a file declares final cannot be overridden.
package conf

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Config is a set of properties. It is safe for concurrent reads but not for concurrent changes.
type Config struct {
	m       map[string]entry // by new key name, without built-in defaults
	refused []string         // warnings about settings that a final property overrules
	dir     string           // configuration directory; "" means none
	foreign bool             // ${env.NAME} is not expanded
}

type entry struct {
	value, source string
	file          string // file named in source, if source also contains a line; otherwise ""
	final         bool
}

// place returns the source without the line number.
func (e *entry) place() string {
	if e.file != "" {
		return e.file
	}
	return e.source
}

// Property is one setting and its source, such as "mapred-default.xml", FILE:LINE, "-D", or
// "client".
type Property struct{ Name, Value, Source string }

// New returns a configuration with the built-in defaults.
func New() *Config { return &Config{m: map[string]entry{}} }

// Clone returns an independent copy of c.
func (c *Config) Clone() *Config {
	d := &Config{m: make(map[string]entry, len(c.m)+8), refused: slices.Clone(c.refused), dir: c.dir, foreign: c.foreign}
	for k, v := range c.m {
		d.m[k] = v
	}
	return d
}

// Restrict makes c keep ${env.NAME} unexpanded. It is for settings written by another user, who
// must not be able to read this process's environment (Hadoop: the restricted parser of
// Configuration).
func (c *Config) Restrict() { c.foreign = true }

// Dir returns the configuration directory that contains the site files, or "" if there is none. As
// in Hadoop, some settings can name a file in that directory without a path.
func (c *Config) Dir() string { return c.dir }

// Set stores a value and its source. An old spelling of a key sets the new one. If a file declared
// the key final, the key keeps its value, and Warnings reports the attempt to change it.
func (c *Config) Set(key, value, source string) {
	c.set(key, entry{value: value, source: source})
}

func (c *Config) set(key string, e entry) {
	key = Canonical(key)
	old := c.m[key]
	if !old.final {
		c.m[key] = e
		return
	}
	if old.value != e.value {
		c.refused = append(c.refused, fmt.Sprintf("%s: an attempt to override final parameter %s; ignoring %q, keeping %q "+
			"of %s",
			e.source, key, e.value, old.value, old.source))
	}
}

// Lookup returns the expanded value of a key and its source. If a ${} in the value cannot be
// expanded, Lookup returns the value as written. To find such values, use Check or those typed
// getters that return an error.
func (c *Config) Lookup(key string) (value, source string, ok bool) {
	raw, source, ok := c.raw(key)
	if !ok {
		return "", "", false
	}
	value, err := c.expand(raw)
	if err != nil {
		return raw, source, true
	}
	return value, source, true
}

// IsDefault reports whether a key's value comes from the built-in defaults or from one of Hadoop's
// default files, according to its source. An empty value counts as unset.
func (c *Config) IsDefault(key string) bool {
	_, source, _ := c.raw(key)
	return strings.HasSuffix(source, "-default.xml")
}

// raw returns the value of a key without expanding it.
func (c *Config) raw(key string) (value, source string, ok bool) {
	key = Canonical(key)
	e, ok := c.m[key]
	if ok && e.value != "" {
		return e.value, e.source, true
	}
	// If the value is empty, the default applies, because Hadoop drops empty values on the way to
	// its tasks.
	if k := Find(key); k != nil && k.Default != "" {
		return k.Default, k.source(), true
	}
	return "", e.source, ok
}

// Get returns the expanded value, or "" if the key has no value.
func (c *Config) Get(key string) string {
	v, _, _ := c.Lookup(key)
	return v
}

// Properties returns all settings, expanded and sorted by name. If changed is set, it returns only
// the keys that were set, and omits the built-in defaults of other keys.
func (c *Config) Properties(changed bool) []Property {
	out := make([]Property, 0, len(c.m))
	for k := range c.m {
		v, source, _ := c.Lookup(k)
		out = append(out, Property{k, v, source})
	}
	if !changed {
		for k := range table() {
			if _, set := c.m[k.Name]; !set && k.Default != "" {
				out = append(out, Property{k.Name, c.Get(k.Name), k.source()})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Written returns the keys that were set, sorted by name. If a value depends on another set key, it
// contains a variable for that key, such as ${some.key}. All other variables are expanded.
// Therefore, the values have the same meaning on every machine, and a key's value appears only as
// the value of that key.
func (c *Config) Written() []Property {
	out := c.Properties(true)
	for i := range out {
		raw, _, _ := c.raw(out[i].Name)
		e := expander{c: c, left: maxSubstitutions, keep: true}
		if v, err := e.expand(raw); err == nil {
			out[i].Value = v
		}
	}
	return out
}

// Final reports whether a file declares the key's value final, so that later sources cannot change it.
func (c *Config) Final(key string) bool { return c.m[Canonical(key)].final }

// Sources returns the distinct sources of the settings that are not built-in defaults.
func (c *Config) Sources() []string {
	var out []string
	for _, e := range c.m {
		out = append(out, e.place())
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// Warnings returns a line for each attempt to change a final property and for each key that is
// probably misspelled. It also returns a line for each source that sets Hadoop keys that have no
// meaning here. If jobs run on YARN, it returns only the lines about final properties because
// Hadoop reads all keys.
func (c *Config) Warnings() []string {
	if c.Get("mapreduce.framework.name") == "yarn" {
		return slices.Clone(c.refused)
	}
	idle := map[string][]string{}
	for name, e := range c.m {
		if k := Find(name); k != nil && k.State() == NoMeaning {
			idle[e.place()] = append(idle[e.place()], name)
		}
	}
	var out []string
	for source, names := range idle {
		sort.Strings(names)
		out = append(out, fmt.Sprintf("%s: known from Hadoop, without meaning here: %s", source, strings.Join(names, ", ")))
	}
	sort.Strings(out)
	return slices.Concat(c.refused, c.misspelled(), out)
}
