package failure

import "testing"

// Each kind has the exit code that docs/reference/commands.md documents.
func TestExitCodes(t *testing.T) {
	for code, kinds := range map[int][]Kind{
		1: {Unknown, User, RecordTooLarge, OutOfMemory, Timeout, Killed, Node, Stale, Limit, Failed, Internal},
		2: {Usage, NotFound, Permission},
		3: {Config},
		4: {Exists},
		5: {IO, DiskFull, Corrupt, Unreachable},
		6: {Interrupted},
	} {
		for _, k := range kinds {
			if got := k.ExitCode(); got != code {
				t.Errorf("%v gives %d, want %d", k, got, code)
			}
		}
	}
}
