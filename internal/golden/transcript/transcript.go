// Package transcript runs transcripts, which are text files that contain commands to a state
// machine and the resulting decisions. A package's test function calls [Run], and [Words] parses
// the arguments of a command.
package transcript

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/job"
)

// Run runs every file testdata/*.txt of a package as a subtest. start returns the function that
// executes the commands of one file. For the format of the files, see golden.Transcript.
func Run(t *testing.T, start func(t *testing.T) (run func(command string) string)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			golden.Transcript(t, f, start(t))
		})
	}
}

// Words contains the key=value pairs of a command. A malformed value fails the test.
type Words struct {
	T     testing.TB
	Line  string // the command
	Value map[string]string
}

// Has reports whether the command has the key k.
func (w Words) Has(k string) bool { _, ok := w.Value[k]; return ok }

// Int returns the value of k as a number, or def if the command does not have the key k.
func (w Words) Int(k string, def int64) int64 {
	if !w.Has(k) {
		return def
	}
	n, err := strconv.ParseInt(w.Value[k], 10, 64)
	require.NoError(w.T, err, w.Line)
	return n
}

// List returns the comma-separated parts of the value of k.
func (w Words) List(k string) []string {
	return strings.FieldsFunc(w.Value[k], func(r rune) bool { return r == ',' })
}

// Slots parses the value of k, such as "2,1", as numbers of map and reduce slots.
func (w Words) Slots(k string) (s [2]int32) {
	_, err := fmt.Sscanf(w.Value[k], "%d,%d", &s[0], &s[1])
	require.NoError(w.T, err, w.Line)
	return s
}

// Attempts parses the value of k as a comma-separated list of attempts.
func (w Words) Attempts(k string) (out []job.Attempt) {
	for _, s := range w.List(k) {
		out = append(out, w.Attempt(s))
	}
	return out
}

// Attempt parses "1m2.3" as job 1, map 2, attempt 3. The suffix ".0" is optional.
func (w Words) Attempt(s string) (a job.Attempt) {
	var letter rune
	if n, _ := fmt.Sscanf(s, "%d%c%d.%d", &a.Job, &letter, &a.Index, &a.N); n < 3 {
		w.T.Fatalf("%s: not an attempt: %s", w.Line, s)
	}
	if letter == 'r' {
		a.Type = job.Reduce
	}
	return a
}

// Show formats an attempt in the form that Attempt parses.
func Show(a job.Attempt) string {
	return fmt.Sprintf("%d%c%d.%d", a.Job, a.Type.Letter(), a.Index, a.N)
}
