package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job/failure"
)

// decoder reads YAML nodes strictly and collects errors with their positions.
type decoder struct {
	file       string
	parts      Parts
	schedulers []string
	errs       []string
}

// maxErrors is the maximum number of errors that are shown at once.
const maxErrors = 10

// maxTime is the longest time in a scenario, in ms. It is 100 days.
const maxTime = 100 * 24 * 3600 * 1000

// bad records an error at the given line.
func (d *decoder) bad(line int, format string, args ...any) {
	d.errs = append(d.errs, fmt.Sprintf("%s:%d: ", d.file, line)+fmt.Sprintf(format, args...))
}

// err returns the errors, or nil.
func (d *decoder) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	shown := slices.Compact(d.errs)
	if len(shown) > maxErrors {
		shown = append(slices.Clone(shown[:maxErrors]), fmt.Sprintf("and %d more errors", len(shown)-maxErrors))
	}
	return failure.New(failure.Config, "read scenario", d.file, errors.New(strings.Join(shown, "\n  "))).
		Fix("docs/reference/scenarios.md describes the format")
}

// field is a key of a mapping.
type field struct {
	key  string
	read func(n *yaml.Node, key string)
}

// mapping reads a mapping whose keys are those of fields. what names the mapping in errors.
func (d *decoder) mapping(n *yaml.Node, what string, fields ...field) (seen map[string]bool) {
	seen = map[string]bool{}
	if n.Kind != yaml.MappingNode {
		d.bad(n.Line, "%s: want keys and values", what)
		return seen
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := slices.Index(names, k.Value)
		switch {
		case k.Kind != yaml.ScalarNode || at < 0:
			hint := ""
			if best := suggest.Nearest(k.Value, names); best != "" {
				hint = "did you mean " + best + "? "
			}
			d.bad(k.Line, "%s: unknown key %q: %swant one of %s", what, k.Value, hint, strings.Join(names, ", "))
		case seen[k.Value]:
			d.bad(k.Line, "%s: %s occurs twice", what, k.Value)
		case v.Kind == yaml.AliasNode:
			d.bad(v.Line, "%s: aliases are not supported", k.Value)
		case v.Kind == yaml.ScalarNode && v.Tag == "!!null":
			d.bad(k.Line, "%s has no value", k.Value)
		default:
			fields[at].read(v, k.Value)
		}
		seen[k.Value] = true
	}
	return seen
}

// pairs reads a mapping with free keys.
func (d *decoder) pairs(n *yaml.Node, what string, f func(k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.bad(n.Line, "%s: want keys and values", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Value == "":
			d.bad(k.Line, "%s: want a word as a key", what)
		case seen[k.Value]:
			d.bad(k.Line, "%s: %s occurs twice", what, k.Value)
		default:
			f(k, v)
		}
		seen[k.Value] = true
	}
}

// scalar returns the text of a value.
func (d *decoder) scalar(n *yaml.Node, key, want string) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		d.bad(n.Line, "%s: want %s", key, want)
		return "", false
	}
	return n.Value, true
}

func (d *decoder) text(to *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) { *to, _ = d.scalar(n, key, "a text") }
}

// maxName is the maximum length of a name.
const maxName = 60

// name reads a name that can be part of a file name.
func (d *decoder) name(to *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		s, ok := d.scalar(n, key, "a name")
		if ok && !isName(s) {
			d.bad(n.Line, "%s: %q is not a name: want at most %d letters, digits, hyphens, dots and underscores, "+
				"starting with a letter or digit", key, s, maxName)
		}
		*to = s
	}
}

func isName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-._", r)) {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

func (d *decoder) count(to *int, low, high int) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		s, ok := d.scalar(n, key, "a number")
		x, err := strconv.Atoi(s)
		if ok && (err != nil || x < low || x > high) {
			d.bad(n.Line, "%s: %q: want a whole number from %d to %d", key, s, low, high)
			return
		}
		*to = x
	}
}

func (d *decoder) number(to *float64, low, high float64) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		s, ok := d.scalar(n, key, "a number")
		x, err := strconv.ParseFloat(s, 64)
		if ok && (err != nil || math.IsNaN(x) || x < low || x > high) {
			d.bad(n.Line, "%s: %q: want a number from %g to %g", key, s, low, high)
			return
		}
		*to = x
	}
}

func (d *decoder) millis(to *int64, low int64) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		if s, ok := d.scalar(n, key, "a time"); ok {
			*to = d.time(n.Line, key, s, low)
		}
	}
}

// time parses a time of low to maxTime ms.
func (d *decoder) time(line int, key, s string, low int64) int64 {
	t, err := time.ParseDuration(s)
	if ms := t.Milliseconds(); err != nil || ms < low || ms > maxTime {
		d.bad(line, "%s: %q: want a time from %v to 2400h, such as 90s or 2m30s", key, s,
			time.Duration(low)*time.Millisecond)
		return low
	}
	return t.Milliseconds()
}

// units are the suffixes of sizes.
var units = []struct {
	name string
	size float64
}{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"B", 1}}

func (d *decoder) bytes(to *int64, low, high int64) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		s, ok := d.scalar(n, key, "a size")
		if !ok {
			return
		}
		for _, u := range units {
			digits, is := strings.CutSuffix(s, u.name)
			if !is {
				continue
			}
			x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
			if x *= u.size; err == nil && x >= float64(low) && x <= float64(high) {
				*to = int64(x)
				return
			}
			break
		}
		d.bad(n.Line, "%s: %q: want a size from %s to %s, such as 64MB", key, s, sizeText(low), sizeText(high))
	}
}

// sizeText formats a size with the largest unit that divides it.
func sizeText(n int64) string {
	for _, u := range units {
		if n >= int64(u.size) && n%int64(u.size) == 0 {
			return fmt.Sprintf("%d%s", n/int64(u.size), u.name)
		}
	}
	return "0B"
}

func (d *decoder) choice(to *string, values ...string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		if s, ok := d.scalar(n, key, "one of "+strings.Join(values, ", ")); ok {
			*to = d.oneOf(n.Line, key, s, values)
		}
	}
}

// oneOf returns the value that s names, ignoring case.
func (d *decoder) oneOf(line int, key, s string, values []string) string {
	for _, v := range values {
		if strings.EqualFold(v, s) {
			return v
		}
	}
	hint := ""
	if best := suggest.Nearest(strings.ToLower(s), values); best != "" {
		hint = "did you mean " + best + "? "
	}
	d.bad(line, "%s: unknown value %q: %swant one of %s", key, s, hint, strings.Join(values, ", "))
	return ""
}

// choices reads one or more of the given values.
func (d *decoder) choices(to *[]string, values ...string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		*to = nil
		d.each(n, key, func(v *yaml.Node) {
			s := ""
			d.choice(&s, values...)(v, key)
			if slices.Contains(*to, s) && s != "" {
				d.bad(v.Line, "%s: %s occurs twice", key, s)
			}
			*to = append(*to, s)
		})
	}
}

// maxItems is the maximum length of a list.
const maxItems = 1000

// each calls f for each item of a list, or for a single value.
func (d *decoder) each(n *yaml.Node, key string, f func(*yaml.Node)) {
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		d.bad(n.Line, "%s: the list is empty", key)
	case n.Kind == yaml.SequenceNode && len(n.Content) > maxItems:
		d.bad(n.Line, "%s: %d items are too many: want at most %d", key, len(n.Content), maxItems)
	case n.Kind == yaml.SequenceNode:
		for _, v := range n.Content {
			if v.Kind == yaml.AliasNode {
				d.bad(v.Line, "%s: aliases are not supported", key)
				continue
			}
			f(v)
		}
	default:
		f(n)
	}
}

func (d *decoder) strings(to *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		d.each(n, key, func(v *yaml.Node) {
			if s, ok := d.scalar(v, key, "a text"); ok {
				*to = append(*to, s)
			}
		})
	}
}

// texts reads a mapping of texts. check, if not nil, returns an error for an invalid key.
func (d *decoder) texts(to *map[string]string, check func(string) error) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		*to = map[string]string{}
		d.pairs(n, key, func(k, v *yaml.Node) {
			s, ok := d.scalar(v, k.Value, "a text")
			if ok && check != nil {
				if err := check(k.Value); err != nil {
					d.bad(k.Line, "%s: %s: %v", key, k.Value, err)
				}
			}
			(*to)[k.Value] = s
		})
	}
}
