package conf

import (
	"strings"
	"sync"
)

// State indicates whether a key has an effect.
type State uint8

// The states of keys. A key that is not in the table has no state. The configuration keeps such a
// key for programs that read it.
const (
	Implemented State = iota
	NoMeaning         // a Hadoop key that has no effect here; Warnings reports it
)

func (s State) String() string {
	if s == Implemented {
		return "implemented"
	}
	return "known, without meaning here"
}

// Key describes one configuration key. The fields are the columns of the table in
// docs/reference/configuration.md.
type Key struct {
	Name    string
	Default string // "" means none
	Range   string // values and unit: "1 to 1000", "ms, 10 to 1h; 0 = never"; "" if the key has no meaning here
	Old     string // older spellings, separated by spaces
	Meaning string
}

// State returns the key's state.
func (k *Key) State() State {
	if k.Range == "" {
		return NoMeaning
	}
	return Implemented
}

// source returns the source of the key's default value. It is howdah-default.xml for howdah's own
// keys. For other keys, it is one of Hadoop's default files, depending on the start of the key's
// name.
func (k *Key) source() string {
	switch group, _, _ := strings.Cut(k.Name, "."); group {
	case "mapreduce", "mapred":
		return "mapred-default.xml"
	case "dfs":
		return "hdfs-default.xml"
	case "distcp":
		return "distcp-default.xml"
	case "howdah":
		return "howdah-default.xml"
	}
	return "core-default.xml"
}

// index returns a map from every spelling to its key. It builds the map on first use because most
// processes look up only a few keys and a task's process must start fast.
var index = sync.OnceValue(func() map[string]*Key {
	m := make(map[string]*Key, 1024) // about the number of spellings
	for k := range table() {
		m[k.Name] = k
		for _, old := range strings.Fields(k.Old) {
			m[old] = k
		}
	}
	return m
})

// Find returns the description of a key, or nil if the key is unknown. It accepts every spelling of
// the key. The caller must not change the description.
func Find(key string) *Key { return index()[key] }

// Canonical returns the newest spelling of a key. It accepts every spelling, and returns an unknown
// key unchanged.
func Canonical(key string) string {
	if k := index()[key]; k != nil {
		return k.Name
	}
	return key
}

// Plain reports whether a key has a meaning here and a type other than Text and List, so that its
// values cannot name a file, program, or address.
func Plain(key string) bool {
	for k := range declarations() {
		if k.key().Name == Canonical(key) {
			switch k.(type) {
			case *Text, *List:
				return false
			}
			return true
		}
	}
	return false
}
