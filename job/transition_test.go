package job

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
)

// docs/reference/states.md is up to date. To generate it from the tables of transitions, run
// go test ./job -run TestStatesDocument -rewrite
func TestStatesDocument(t *testing.T) {
	golden.Compare(t, "../docs/reference/states.md", []byte(statesDocument()))
}

func statesDocument() string {
	var b strings.Builder
	b.WriteString(`# States

This page lists the legal state changes of jobs, tasks, and attempts. The JobTracker's state machine
rejects every other change. This page is generated from job/transition.go by
` + "`go test ./job -run TestStatesDocument -rewrite`" + `. A test checks that the page is up to date.

Each change follows from a fact, which the JobTracker records in its journal (package job/event).
The JobTracker makes the fact durable before other processes can see the change. The only exception
is an attempt's change from UNASSIGNED to RUNNING, which merely reflects a TaskTracker's latest
report. After the JobTracker restarts, the next heartbeat restores the RUNNING state.

`)
	document(&b, "Job",
		"A job without its own committer leaves PREP as soon as the JobTracker admits it. Hadoop's tools show\n"+
			"COMMITTING and ABORTING as RUNNING. A TaskTracker rejects a job that cannot run on its node.",
		Prep, JobTransitions, numStates)
	document(&b, "Task", "The states have the names used on Hadoop's web pages.", TaskPending, TaskTransitions,
		numTaskStates)
	document(&b, "Attempt", "Only FAILED attempts count toward the maximum number of attempts.",
		AttemptAssigned, AttemptTransitions, numAttemptStates)
	return strings.TrimSuffix(b.String(), "\n")
}

// state is any of the three state types.
type state interface {
	~uint8
	fmt.Stringer
	Terminal() bool
}

// Terminal reports whether no transition leaves the state. The document needs this method for every
// type of state.
func (s TaskState) Terminal() bool { return s == TaskFailed || s == TaskKilled }

func document[S state](b *strings.Builder, what, note string, first S, table []Transition[S], n S) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n```mermaid\nstateDiagram-v2\n    [*] --> %v\n", what, note, first)
	for _, t := range table {
		fmt.Fprintf(b, "    %v --> %v\n", t.From, t.To)
	}
	for s := S(0); s < n; s++ {
		if s.Terminal() && !leaves(table, s) {
			fmt.Fprintf(b, "    %v --> [*]\n", s)
		}
	}
	b.WriteString("```\n\n| from | to | when |\n|---|---|---|\n")
	for _, t := range table {
		fmt.Fprintf(b, "| %v | %v | %s |\n", t.From, t.To, t.When)
	}
	b.WriteString("\n")
}

func leaves[S comparable](table []Transition[S], s S) bool {
	for _, t := range table {
		if t.From == s {
			return true
		}
	}
	return false
}

func TestTransitions(t *testing.T) {
	require.True(t, Prep.CanBecome(Running))
	require.False(t, Running.CanBecome(Prep))
	require.False(t, Committing.CanBecome(Killed), "after the commit point a kill is too late")
	require.True(t, TaskSucceeded.CanBecome(TaskPending), "a lost map output")
	require.False(t, TaskFailed.CanBecome(TaskPending))
	require.True(t, AttemptSucceeded.CanBecome(AttemptFailed))
	require.False(t, AttemptKilled.CanBecome(AttemptSucceeded))
	for s := range numStates {
		require.False(t, s.CanBecome(s))
		require.Equal(t, s.Terminal(), !leaves(JobTransitions, s), "%v", s)
	}
	for s := range numTaskStates {
		require.Equal(t, s.Terminal(), !leaves(TaskTransitions, s), "%v", s)
	}
	for s := range numAttemptStates {
		require.Equal(t, s.Terminal() && s != AttemptSucceeded, !leaves(AttemptTransitions, s), "%v", s)
	}
}
