package master

import (
	"maps"
	"slices"
	"time"
)

// since keeps in mind since when things are as they are, by their names.
type since map[string]time.Time

// mark tells which things are so now. Those that are not are forgotten.
func (s since) mark(names []string, now time.Time) {
	maps.DeleteFunc(s, func(name string, _ time.Time) bool { return !slices.Contains(names, name) })
	for _, name := range names {
		if _, known := s[name]; !known {
			s[name] = now
		}
	}
}
