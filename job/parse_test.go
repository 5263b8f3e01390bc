package job

import "testing"

// Parsing the text form of a value returns the same value.
func TestNamesAreReadAgain(t *testing.T) {
	for s := Prep; s < numStates; s++ {
		if got, ok := ParseState(s.String()); !ok || got != s {
			t.Errorf("%s: %s, %t", s, got, ok)
		}
	}
	for s := AttemptAssigned; s < numAttemptStates; s++ {
		if got, ok := ParseAttemptState(s.String()); !ok || got != s {
			t.Errorf("%s: %s, %t", s, got, ok)
		}
	}
	for p := PhaseStarting; p < numPhases; p++ {
		if got, ok := ParsePhase(p.String()); !ok || got != p {
			t.Errorf("%s: %s, %t", p, got, ok)
		}
	}
	for l := DataLocal; l <= NoData; l++ {
		if got := ParseLocality(l.String()); got != l {
			t.Errorf("%s: %s", l, got)
		}
	}
	for _, typ := range []TaskType{Map, Reduce, Setup, Cleanup, Container} {
		if got, ok := ParseTaskType(typ.String()); !ok || got != typ {
			t.Errorf("%s: %s, %t", typ, got, ok)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	state, known := ParseState("ASLEEP")
	if known || state.Terminal() || state.String() != "UNKNOWN" {
		t.Errorf("state %s, %t", state, known)
	}
	attempt, known := ParseAttemptState("ASLEEP")
	if known || attempt.Terminal() || attempt.String() != "UNKNOWN" {
		t.Errorf("attempt %s, %t", attempt, known)
	}
	if phase, known := ParsePhase(""); known || phase.String() != "UNKNOWN" {
		t.Errorf("phase %s, %t", phase, known)
	}
	for _, name := range []string{"", "map", "TASK_TYPE_", "TASK_TYPE_256", "4"} {
		if typ, known := ParseTaskType(name); known {
			t.Errorf("%q: %s", name, typ)
		}
	}
}
