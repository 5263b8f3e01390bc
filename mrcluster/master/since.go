package master

import (
	"maps"
	"slices"
	"time"
)

// since maps the name of a thing to the time when it entered a state.
type since map[string]time.Time

// mark sets which things are now in the state and forgets all others.
func (s since) mark(names []string, now time.Time) {
	maps.DeleteFunc(s, func(name string, _ time.Time) bool { return !slices.Contains(names, name) })
	for _, name := range names {
		if _, known := s[name]; !known {
			s[name] = now
		}
	}
}
