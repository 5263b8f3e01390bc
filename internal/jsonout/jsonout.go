// Package jsonout defines the JSON form of jobs, attempts, TaskTrackers, queues, and MR-clusters, and
// writes the output of --json. The answers below /api/v1/ have the same form. Scripts depend on its
// shape: an unknown value is absent, times end in _ms and are milliseconds since the epoch, and states
// are in upper case. docs/reference/json.md lists the fields. Start with [Job].
package jsonout

import (
	"encoding/json"
	"io"
	"strings"
)

// Write prints v as indented JSON.
func Write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// State returns the name of a state in the form that Hadoop's states have, such as RUNNING.
func State(name string) string { return strings.ReplaceAll(strings.ToUpper(name), " ", "_") }

// Known returns a pointer to v if known is set, and nil otherwise. A field of the type *T with the
// option omitempty is absent if it is nil, even though 0 is a possible value.
func Known[T any](v T, known bool) *T {
	if !known {
		return nil
	}
	return &v
}
