package job

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
)

// docs/states.md is made from the tables. go test ./job -run TestStatesDocument -rewrite writes it.
func TestStatesDocument(t *testing.T) {
	golden.Compare(t, "../docs/states.md", []byte(statesDocument()))
}

func statesDocument() string {
	var b strings.Builder
	b.WriteString(`# States

Made from the tables in job/transition.go by ` + "`go test ./job -run TestStatesDocument -rewrite`" + `; a test compares.
The JobTracker's machine refuses every fact that would make a change that is not listed here. A change is a fact in the
journal (job/event), so it is durable before anyone hears of it; the exception is an attempt's change from UNASSIGNED to
RUNNING, which is only what a tracker said last and comes back with its next beat.

`)
	document(&b, "Job", "PREP is passed within one step. Hadoop's tools show COMMITTING and ABORTING as RUNNING.", Prep, JobTransitions, numStates)
	document(&b, "Task", "The states bear the names that Hadoop's pages show.", TaskPending, TaskTransitions, numTaskStates)
	document(&b, "Attempt", "Only FAILED counts against the attempts that a task has.", AttemptAssigned, AttemptTransitions, numAttemptStates)
	return strings.TrimSuffix(b.String(), "\n")
}

// state is any of the three kinds of states.
type state interface {
	~uint8
	fmt.Stringer
	Terminal() bool
}

// Terminal makes TaskState a state for the document: no change leads out of it.
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
