package conf

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/suggest"
)

// CheckRanges returns an error if a setting is not a number in its key's range, even if this
// program does not read the key. It checks only keys that have one of the prefixes and whose range
// in the table consists of a lower and an upper bound.
func (c *Config) CheckRanges(prefixes ...string) error {
	for _, p := range c.Properties(true) {
		if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(p.Name, prefix) }) {
			continue
		}
		k, v := Find(p.Name), strings.TrimSpace(p.Value)
		if k == nil || k.State() != Implemented || v == "" {
			continue
		}
		if lo, hi, ok := k.bounds(); ok && !inside(v, lo, hi) {
			return c.Refuse(p.Name, errors.New("want "+k.Range))
		}
	}
	return nil
}

// bounds returns the bounds of the key's range if it has a form like "0 to 100" or "0 to 100,
// percent". ok reports whether it has such a form.
func (k *Key) bounds() (lo, hi float64, ok bool) {
	from, rest, _ := strings.Cut(k.Range, " to ")
	to, unit, _ := strings.Cut(rest, ", ")
	lo, err1 := strconv.ParseFloat(from, 64)
	hi, err2 := strconv.ParseFloat(to, 64)
	return lo, hi, err1 == nil && err2 == nil && !strings.Contains(unit, "=")
}

func inside(value string, lo, hi float64) bool {
	if n, err := parseInt(value); err == nil {
		return float64(n) >= lo && float64(n) <= hi
	}
	x, err := strconv.ParseFloat(value, 64)
	return err == nil && x >= lo && x <= hi
}

// families lists prefixes of keys. A queue or user name follows each prefix.
var families = []string{"mapred.queue.", "mapred.capacity-scheduler.queue.", "hadoop.proxyuser."}

// Unknown returns warnings about keys that are probably misspelled. These are unknown keys from the
// command line, and unknown howdah keys from any source. Other unknown keys may belong to programs.
func (c *Config) Unknown() []string {
	var out []string
	for _, p := range c.Properties(true) {
		suspect := strings.HasPrefix(p.Source, "-") || strings.HasPrefix(p.Name, "howdah.")
		if !suspect || Find(p.Name) != nil ||
			slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(p.Name, f) }) {
			continue
		}
		w := fmt.Sprintf("%s: unknown key %s", p.Source, p.Name)
		if best := suggest.Nearest(p.Name, names()); best != "" {
			w += "; did you mean " + best + "?"
		}
		out = append(out, w)
	}
	return out
}

// misspelled returns warnings about those unknown keys that are one edit away from a key in the
// table.
func (c *Config) misspelled() []string {
	var out []string
	for _, p := range c.Properties(true) {
		if Find(p.Name) != nil || slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(p.Name, f) }) {
			continue
		}
		best := "" // the first one alphabetically
		for known := range index() {
			longer := len(known) - len(p.Name)
			if longer*longer <= 1 && (best == "" || known < best) && suggest.Distance(known, p.Name) == 1 {
				best = known
			}
		}
		if best != "" {
			out = append(out, fmt.Sprintf("%s: unknown key %s; did you mean %s?", p.Source, p.Name, best))
		}
	}
	return out
}

func names() []string {
	var list []string
	for k := range table() {
		list = append(list, k.Name)
	}
	return list
}
