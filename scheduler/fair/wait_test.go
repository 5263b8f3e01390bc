package fair

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler/policytest"
	"github.com/howdah/howdah/scheduler/pool"
)

// A map that comes back near its input is seen, though its tracker had nothing for the job before.
func TestMapsThatComeBackAreFound(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", pool.KeyLocalityDelay, "86400000"))
	s := policytest.Job("a", 2, 0)
	s.Splits[0].Hosts, s.Splits[1].Hosts = []string{"here"}, []string{"far"}
	h.Submit(s)
	h.Join("far", "far", "/r", 0, 0)
	x := h.Join("x", "here", "/r", 2, 0)
	local := h.Beat(x)
	require.Len(t, local, 1)
	require.Empty(t, h.Beat(x), "nothing more near this tracker")
	h.Do(jobtracker.Input{Kind: jobtracker.InKillAttempt, Attempt: local[0]})
	h.Beat(x)
	again := append(h.Beat(x), h.On(x)...)
	require.NotEmpty(t, again)
	require.Equal(t, local[0].Task, again[0].Task)
	h.Beat(x, again[0])
	require.Empty(t, h.Beat(x))
}

// A thousand jobs wait for their data.
func BenchmarkWaitForData(b *testing.B) {
	p := build(b, "", pool.KeyLocalityDelay, "86400000")
	h := policytest.NewHand(b, p)
	for i := range 1000 {
		s := policytest.Job(fmt.Sprint("u", i%20), 10, 0)
		for k := range s.Splits {
			s.Splits[k].Hosts = []string{fmt.Sprint("far", i%50, k)}
		}
		h.Submit(s)
	}
	x := h.Join("x", "here", "/r", 4, 0)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		p.Assign(h, x, h)
	}
}
