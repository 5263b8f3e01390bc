package conf

import (
	"strings"
	"sync"
)

// State says what a key does here.
type State uint8

// The states of keys. A key that is not in the table is unknown: it is carried along for the programs that read it.
const (
	Implemented State = iota
	NoMeaning         // Hadoop has it; here it does nothing, and Warnings says so
)

func (s State) String() string {
	if s == Implemented {
		return "implemented"
	}
	return "known, without meaning here"
}

// Key describes one configuration key.
type Key struct {
	Name    string
	Default string // "" = none
	Range   string // values and unit, for readers: "1-1000", "ms, 0 = never"
	Meaning string // one sentence
	Old     []string
	State   State
}

// source names the file in which Hadoop documents the key's default.
func (k *Key) source() string {
	switch group, _, _ := strings.Cut(k.Name, "."); group {
	case "mapreduce", "mapred":
		return "mapred-default.xml"
	case "dfs":
		return "hdfs-default.xml"
	case "howdah":
		return "howdah-default.xml"
	}
	return "core-default.xml"
}

// index finds keys by every spelling. It is built at the first use: most processes look up a few keys only, and nothing
// may slow down the start of a task's process.
var index = sync.OnceValue(func() map[string]*Key {
	m := make(map[string]*Key, 1024) // about as many as there are spellings
	for k := range table() {
		m[k.Name] = k
		for _, old := range k.Old {
			m[old] = k
		}
	}
	return m
})

// Find gives the description of a key in any spelling, or nil if it is unknown. It must not be changed.
func Find(key string) *Key { return index()[key] }

// Canonical gives the new spelling of a key; a key without one stays as it is.
func Canonical(key string) string {
	if k := index()[key]; k != nil {
		return k.Name
	}
	return key
}
