package jobcontrol_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/jobcontrol"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

func ok(context.Context) error { return nil }

func states(g *jobcontrol.Graph) string {
	s := ""
	for _, j := range g.Jobs() {
		s += j.Name + " " + j.State().String() + ","
	}
	return s
}

func TestFailureSpreads(t *testing.T) {
	boom := failure.New(failure.NotFound, "read", "x", nil)
	g := jobcontrol.New(0)
	a := g.Add("a", ok)
	b := g.Add("b", func(context.Context) error { return boom }, a)
	c := g.Add("c", ok, a, b)
	g.Add("d", ok, c)
	e := g.Add("e", ok, a)
	require.Equal(t, "a WAITING,b WAITING,c WAITING,d WAITING,e WAITING,", states(g))
	err := g.Run(context.Background())
	require.Equal(t, "a SUCCESS,b FAILED,c DEPENDENT_FAILED,d DEPENDENT_FAILED,e SUCCESS,", states(g))
	require.True(t, failure.Is(err, failure.NotFound), "the kind of what failed: %v", err)
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, "jobs (5 in total, 1 failed, 2 not started)")
	require.ErrorContains(t, c.Err(), "depending job b failed")
	require.NoError(t, e.Err())
}

// In random graphs, no job starts before its dependencies have succeeded, the limit is respected,
// and all jobs end.
func TestOrderAndLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(0, 4).Draw(rt, "limit")
		n := rapid.IntRange(1, 15).Draw(rt, "jobs")
		synctest.Test(t, func(t *testing.T) {
			g := jobcontrol.New(limit)
			var mu sync.Mutex
			running, most := 0, 0
			for i := range n {
				var after []*jobcontrol.Job
				for _, j := range g.Jobs() {
					if rapid.IntRange(0, 3).Draw(rt, "depends") == 0 {
						after = append(after, j)
					}
				}
				fails := rapid.IntRange(0, 7).Draw(rt, "fails") == 0
				wait := time.Duration(rapid.IntRange(0, 5).Draw(rt, "takes")) * time.Second
				g.Add(fmt.Sprint(i), func(context.Context) error {
					mu.Lock()
					running++
					most = max(most, running)
					mu.Unlock()
					for _, j := range after {
						if j.State() != jobcontrol.Success {
							t.Errorf("%d started while %s was %s", i, j.Name, j.State())
						}
					}
					time.Sleep(wait)
					mu.Lock()
					running--
					mu.Unlock()
					if fails {
						return errors.New("broke")
					}
					return nil
				}, after...)
			}
			_ = g.Run(context.Background())
			for _, j := range g.Jobs() {
				if !j.State().Ended() {
					t.Errorf("%s is %s", j.Name, j.State())
				}
			}
			if limit > 0 && most > limit {
				t.Errorf("%d at a time, limit %d", most, limit)
			}
		})
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		g := jobcontrol.New(1)
		long := g.Add("long", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		g.Add("next", ok)
		g.Add("last", ok, long)
		done := make(chan error)
		go func() { done <- g.Run(ctx) }()
		synctest.Wait()
		require.Equal(t, "long RUNNING,next READY,last WAITING,", states(g))
		cancel()
		require.True(t, failure.Is(<-done, failure.Interrupted))
		require.Equal(t, "long FAILED,next READY,last DEPENDENT_FAILED,", states(g))
	})
}

func ExampleGraph() {
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in", "b\na\n"); err != nil {
		fmt.Println(err)
	}
	copies := func(in, out string) func(context.Context) error {
		c := r.Conf().Clone()
		mapreduce.AddInputPaths(c, in)
		mapreduce.SetOutputPath(c, out)
		return jobcontrol.Submit(r, &mapreduce.Job{Name: "sort", Input: mapreduce.KeyValueTextInput{}}, c)
	}
	g := jobcontrol.New(1) // mrtest runs one job at a time
	once := g.Add("once", copies("/in", "/once"))
	twice := g.Add("twice", copies("/once", "/twice"), once)
	g.Add("lost", copies("/nowhere", "/lost"), once)
	err := g.Run(context.Background())
	fmt.Println(twice.State(), failure.Is(err, failure.NotFound))
	for _, j := range g.Jobs() {
		fmt.Println(j.Name, j.State())
	}
	// Output:
	// SUCCESS true
	// once SUCCESS
	// twice SUCCESS
	// lost FAILED
}
