package lab

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
)

// The transcript covers the tables, the advice, hidden jobs, and mistakes.
func TestWhatIfTranscript(t *testing.T) {
	file, err := filepath.Abs("testdata/whatif.txt")
	require.NoError(t, err)
	in(t)
	said := transcript(t, []call{
		{"what-if state.json --within 0 --scheduler fair,minedf-wc,drf", 0},
		{"what-if state.json --within 0 --scheduler fair,fifo --advise --goal time", 0},
		{"what-if state.json --within 0 --scheduler fair --advise --repeat 5", 0},
		{"what-if state.json --within 0 --scheduler fair --advise --goal makespan", 0},
		{"what-if", 2}, {"what-if none.json", 2}, {"what-if notes", 5},
		{"what-if job.log", 5}, {"what-if topology.json", 5},
		{"what-if state.json --goal speed", 2},
		{"what-if state.json --goal time", 2}, {"what-if state.json --check", 2}, {"what-if state.json --repeat 0", 2},
		{"what-if state.json --advise --min-gain 101", 2}, {"what-if state.json --workers 0", 2},
		{"what-if state.json --scheduler fare", 3}, {"what-if http://localhost:1/", 5},
	})
	golden.Compare(t, file, []byte(said))
}

// An answer of a JobTracker is not trusted: damage is an error, and --json has every job.
func TestWhatIfFromAJobTracker(t *testing.T) {
	in(t)
	state, err := os.ReadFile("state.json")
	require.NoError(t, err)
	answer := state
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/what-if" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(answer)
	}))
	defer s.Close()
	code, out, errOut := sim(t, "what-if", s.URL, "--scheduler", "fair", "--json", "--advise", "--within", "0")
	require.Zero(t, code, errOut)
	var x whatIfJSON
	require.NoError(t, json.Unmarshal([]byte(out), &x))
	require.Len(t, x.Policies, 2)
	require.Len(t, x.Jobs, 3)
	require.Len(t, x.Jobs[0].Left, 2)
	require.NotNil(t, x.Advice)
	for _, bad := range []string{"", "{}", "<html>", string(state[:len(state)/2]),
		strings.Replace(string(state), `"large"`, `"\u001b[2J"`, 1),
		strings.Replace(string(state), `"tracker": 1`, `"tracker": 7`, 1)} {
		answer = []byte(bad)
		code, _, errOut = sim(t, "what-if", s.URL)
		require.Equal(t, 5, code, bad)
		require.Contains(t, errOut, "read the state of the cluster")
		require.NotContains(t, errOut, "\x1b")
	}
}

func TestCompareWithEnds(t *testing.T) {
	r := &whatIfJSON{Now: 1000}
	for i, id := range []string{"a", "b", "hidden"} {
		r.Jobs = append(r.Jobs, whatIfJob{ID: id, Left: []rangeJSON{{Median: float64(10 * (i + 1)), Low: 5, High: 15}}})
	}
	r.compare(map[string]int64{"a": 9000, "b": 41_000})
	require.InDelta(t, 22./48, r.Check.Mean, 1e-9)
	r.Check.Mean = 0.458
	require.Equal(t, &checkedTotals{Jobs: 2, Mean: 0.458, Worst: 20, Bias: -0.375, Inside: 1, Makespan: -0.5}, r.Check)
	require.EqualValues(t, 41_000, r.Jobs[1].Finish)
}
