// Package conf holds configuration by Hadoop's keys: built-in defaults, XML files, -D settings, each value with the
// place it came from. Old spellings of keys mean the new ones.
//
// Sources, each overriding the ones before: the defaults in the table of this package, core-site.xml, mapred-site.xml
// and hdfs-site.xml of the configuration directory, -conf files, -D settings, what a program sets itself. A property
// that a file declares final stays as it is.
package conf

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Config is a set of properties. It is not safe for concurrent changes; concurrent reads are fine.
type Config struct {
	m       map[string]entry // by new name; built-in defaults are not in it
	refused []string         // settings that a final property refused, as warnings
	dir     string           // the configuration directory, "" = none
}

type entry struct {
	value, source string
	file          string // that source is a line of; "" = source names no line
	final         bool
}

// place gives the source without its line.
func (e *entry) place() string {
	if e.file != "" {
		return e.file
	}
	return e.source
}

// Property is one setting with its source: "mapred-default.xml", FILE:LINE of a file that was read, "-D", "programmatically".
type Property struct{ Name, Value, Source string }

// New gives the built-in defaults.
func New() *Config { return &Config{m: map[string]entry{}} }

// Clone gives an independent copy.
func (c *Config) Clone() *Config {
	d := &Config{m: make(map[string]entry, len(c.m)+8), refused: slices.Clone(c.refused), dir: c.dir}
	for k, v := range c.m {
		d.m[k] = v
	}
	return d
}

// Dir gives the configuration directory that the site files came from, "" if there is none. Files that a key names without a
// directory lie there, as in Hadoop.
func (c *Config) Dir() string { return c.dir }

// Set stores a value; source says where it came from. An old spelling of a key sets the new one. A key that a file
// declared final keeps its value, and Warnings tells of it.
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
		c.refused = append(c.refused, fmt.Sprintf("%s: an attempt to override final parameter %s; ignoring %q, keeping %q of %s",
			e.source, key, e.value, old.value, old.source))
	}
}

// Lookup gives the expanded value of a key and its source. A value whose ${} cannot be expanded comes back as it was
// written; Check finds those, and the typed getters refuse them.
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

// IsDefault reports whether a key has its built-in default: nobody has set it, or to nothing. A key without a default never has it.
func (c *Config) IsDefault(key string) bool {
	_, source, _ := c.raw(key)
	return strings.HasSuffix(source, "-default.xml")
}

// raw gives a value as it was written.
func (c *Config) raw(key string) (value, source string, ok bool) {
	key = Canonical(key)
	e, ok := c.m[key]
	if ok && e.value != "" {
		return e.value, e.source, true
	}
	// An empty value means the default: Hadoop loses it on the way to its tasks.
	if k := Find(key); k != nil && k.Default != "" {
		return k.Default, k.source(), true
	}
	return "", e.source, ok
}

// Get gives the expanded value, "" if there is none.
func (c *Config) Get(key string) string {
	v, _, _ := c.Lookup(key)
	return v
}

// Properties lists all settings, expanded and sorted by name; with changed set only those that are not built-in defaults.
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

// Sources lists what settings that are not built-in defaults come from, each file once.
func (c *Config) Sources() []string {
	var out []string
	for _, e := range c.m {
		out = append(out, e.place())
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// Warnings tells once what a user should know of the settings: those that a final property refused, and keys of Hadoop's
// that mean nothing here, one line for each source. Where jobs go to YARN such keys are Hadoop's to read, and not told.
func (c *Config) Warnings() []string {
	if c.Get("mapreduce.framework.name") == "yarn" {
		return slices.Clone(c.refused)
	}
	idle := map[string][]string{}
	for name, e := range c.m {
		if k := Find(name); k != nil && k.State == NoMeaning {
			idle[e.place()] = append(idle[e.place()], name)
		}
	}
	var out []string
	for source, names := range idle {
		sort.Strings(names)
		out = append(out, fmt.Sprintf("%s: known from Hadoop, without meaning here: %s", source, strings.Join(names, ", ")))
	}
	sort.Strings(out)
	return append(slices.Clone(c.refused), out...)
}
