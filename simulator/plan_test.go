package simulator_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// randomPlan draws a plan in which no tracker comes or goes.
func randomPlan(t *testing.T, r *rand.Rand) *simulator.Plan {
	clauses := []string{
		"speed 1 0.5", "locality 1 1.5 3", "straggle 0.2 4", "fail 0.05",
		fmt.Sprintf("load all %ds 0.5; load all %ds 0", r.IntN(60), 60+r.IntN(60)),
		fmt.Sprintf("load 1 %ds 0.9 slots; load 1 %ds 0", r.IntN(20), 20+r.IntN(60)),
	}
	var chosen []string
	for _, s := range clauses {
		if r.IntN(3) == 0 {
			chosen = append(chosen, s)
		}
	}
	text := strings.Join(chosen, "\n")
	p, err := simulator.ParsePlan(text)
	require.NoError(t, err, text)
	return p
}

func plan(t *testing.T, text string) *simulator.Plan {
	p, err := simulator.ParsePlan(text)
	require.NoError(t, err)
	return p
}

func TestParsePlan(t *testing.T) {
	p := plan(t, `
		speed 1-2,4 0.5; speed all 2   # the last word counts
		locality 1 1.5 3
		straggle 0.1 4
		fail 0.01
		load 3 1m 0.5 slots; load 3 2m 0
		lose 1 90s 2h
		leave 2 1s
		join 3 10s
		crash 24h 10m`)
	require.Equal(t, []simulator.Speed{{Nodes: simulator.Nodes{1, 2, 4}, Factor: 0.5}, {Factor: 2}}, p.Speeds)
	require.Equal(t, [3]float64{1, 1.5, 3}, p.Locality)
	require.Equal(t, simulator.Straggle{Share: 0.1, Factor: 4}, p.Straggle)
	require.Equal(t, 0.01, p.Fail)
	require.Equal(t, []simulator.Load{{Nodes: simulator.Nodes{3}, At: 60_000, Share: 0.5, Slots: true},
		{Nodes: simulator.Nodes{3}, At: 120_000}}, p.Loads)
	require.Equal(t, []simulator.Away{{Nodes: simulator.Nodes{1}, At: 90_000, Back: 7_200_000},
		{Nodes: simulator.Nodes{2}, At: 1000, Leave: true}}, p.Aways)
	require.Equal(t, []simulator.Join{{Count: 3, At: 10_000}}, p.Joins)
	require.Equal(t, simulator.Crash{Every: 86_400_000, Down: 600_000}, p.Crash)
}

// TestBadPlans checks that errors for bad syntax, values out of range, and unknown nodes include
// their position in the plan.
func TestBadPlans(t *testing.T) {
	for text, want := range map[string]string{
		"speed one 2":       "is not a list of nodes",
		"speed 1":           "a word is missing",
		"speed 1 2 3":       "unexpected word",
		"explode all 1s":    "want one of: speed",
		"lose 1 5":          "is not a time",
		"speed 3-1 1":       "is not a list of nodes",
		"speed 1 x":         "is not a number",
		"join x 1s":         "is not a whole number",
		"speed 1 0":         "0: want a factor of 0.001 to 1000",
		"load all 1s 1":     "leaves no capacity",
		"load all 1s 2":     "2: want a share from 0 to 1",
		"load all -1s 0.5":  "-1s: want 0s to 876000h",
		"lose 1 2s 1s":      "after it leaves",
		"lose 1 2s 0s":      "after it leaves",
		"lose 1 999999h":    "999999h: want 0s to 876000h",
		"locality 1 -1 1":   "-1: want a factor",
		"locality 0 1 1":    "0: want a factor",
		"straggle 2 1":      "2: want a share",
		"straggle 0.5 0":    "0: want a factor",
		"fail NaN":          "NaN: want a share",
		"fail 2":            "2: want a share",
		"join 0 1s":         "want 1 to 100000 nodes",
		"crash 1h 0s":       "DOWN to be more than 0s",
		"crash 0s 0s":       "EVERY to be 1s or more",
		"crash 1ms 10s":     "EVERY to be 1s or more",
		"join 100000000 1s": "want 1 to 100000 nodes",
	} {
		file := filepath.Join(t.TempDir(), "plan")
		require.NoError(t, os.WriteFile(file, []byte("# faults\nfail 0.1; "+text+"\n"), 0o644))
		_, err := simulator.ReadPlan(file)
		require.ErrorContains(t, err, "read plan "+file+":2: "+text+": ")
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.Config, failure.KindOf(err))
		_, err = simulator.ParsePlan(text)
		require.ErrorContains(t, err, "line 1: "+text)
	}
	for text, want := range map[string]string{
		"fail 0.1\nspeed 7 1":  "line 2: speed 7 1: node 7 does not exist: want 1 to 2",
		"lose 9 1s; fail 0.1":  "line 1: lose 9 1s: node 9 does not exist: want 1 to 2",
		"join 3 1s; lose 6 1s": "node 6 does not exist: want 1 to 5",
		"join 100000 1s":       "more than 100000 nodes in total",
	} {
		require.ErrorContains(t, refused(t, plan(t, text)), want)
	}
	for want, p := range map[string]*simulator.Plan{"share from 0 to 1": {Fail: 2},
		"EVERY": {Crash: simulator.Crash{Down: 1000}}, "node 0": {Aways: []simulator.Away{{Nodes: simulator.Nodes{0}}}}} {
		require.ErrorContains(t, refused(t, p), want)
	}
	_, err := simulator.ReadPlan("no such file")
	require.Equal(t, failure.NotFound, failure.KindOf(err))
}

func refused(t *testing.T, p *simulator.Plan) error {
	_, err := simulator.Run(t.Context(), simulator.Config{Trackers: 2, Slots: [2]int32{1, 1}, Policy: newFIFO(t), Plan: p},
		source(nil))
	require.Equal(t, failure.Config, failure.KindOf(err))
	return err
}

// TestCrashesThatLeaveNoTimeEndTheRun checks that a run ends, instead of restarting jobs forever,
// if tasks outlast the time between crashes.
func TestCrashesThatLeaveNoTimeEndTheRun(t *testing.T) {
	for _, text := range []string{"crash 30s 30s", "crash 1s 100s"} {
		c := simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Heartbeat: 20_000, Policy: newFIFO(t), Plan: plan(t, text)}
		_, err := simulator.Run(t.Context(), c, source([]*trace.Job{maps(2, 600_000)}))
		require.ErrorContains(t, err, "1 job cannot end: nodes crash so often")
	}
	r := run(t, simulator.Config{Trackers: 2, Slots: [2]int32{1, 1}, Heartbeat: 20_000, Plan: plan(t, "crash 90m 1m")},
		maps(3, 2*3_600_000))
	require.False(t, r.Jobs[0].Failed, "it takes some attempts, but it ends")
}

func FuzzParsePlan(f *testing.F) {
	f.Add("speed 1-2 0.5; load all 1m 0.5 slots\nlose 1 90s 2h # c\njoin 2 1s; crash 1h 1m; straggle 1 2; fail 1; " +
		"locality 1 2 3; leave all 1s")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := simulator.ParsePlan(text)
		if err != nil {
			return
		}
		// Running an accepted plan may return an error, but must not panic.
		_, _ = simulator.Run(t.Context(), simulator.Config{Trackers: 2, Slots: [2]int32{1, 1}, Policy: newFIFO(t), Plan: p},
			source(nil))
	})
}

func maps(n int, ms int64, hosts ...string) *trace.Job {
	j := &trace.Job{ID: "j"}
	for range n {
		j.Maps = append(j.Maps, trace.Map{Time: ms, Hosts: hosts})
	}
	return j
}

// quick returns a cluster of one tracker without delays.
func quick(p *simulator.Plan) simulator.Config {
	return simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Heartbeat: 1, WaitForWork: true, Plan: p}
}

func took(t *testing.T, c simulator.Config, j *trace.Job) int64 {
	r := run(t, c, j)
	require.False(t, r.Jobs[0].Failed)
	return r.Jobs[0].Finish - r.Jobs[0].Start
}

func TestSpeedsAndLoads(t *testing.T) {
	require.Equal(t, int64(1000), took(t, quick(nil), maps(1, 1000)))
	require.Equal(t, int64(2000), took(t, quick(plan(t, "speed 1 0.5")), maps(1, 1000)))
	require.Equal(t, int64(4000), took(t, quick(plan(t, "straggle 1 4")), maps(1, 1000)))
	require.InDelta(t, 1500, took(t, quick(plan(t, "load 1 500ms 0.5")), maps(1, 1000)), 2,
		"the second half takes twice as long")
	require.InDelta(t, 1250, took(t, quick(plan(t, "load 1 500ms 0.5; load 1 1s 0")), maps(1, 1000)), 2)
}

func TestLoadThatCostsSlots(t *testing.T) {
	c := quick(plan(t, "load 1 0s 0.5 slots"))
	c.Slots = [2]int32{4, 0}
	require.Equal(t, int64(2000), took(t, c, maps(4, 1000)), "two waves in two slots")
	seen := int32(0)
	c.Sample, c.SampleEvery = func(v scheduler.View) { seen = max(seen, v.Tracker(v.Trackers()[0]).OtherLoad) }, 100
	run(t, c, maps(4, 1000))
	require.Equal(t, int32(500_000), seen)
}

// TestLocality checks that maps slow down by Mumak's factors: 1 on the node, 1.5 in the rack, and 3
// elsewhere.
func TestLocality(t *testing.T) {
	c := quick(plan(t, "locality 1 1.5 3"))
	c.Nodes = []trace.Node{{Host: "a", Rack: "/r"}, {Host: "b", Rack: "/r"}, {Host: "c", Rack: "/s"}}
	c.Trackers = 3
	c.Plan = plan(t, "locality 1 1.5 3; load 2,3 0s 1 slots")
	require.Equal(t, int64(1000), took(t, c, maps(1, 1000, "a")))
	require.Equal(t, int64(1500), took(t, c, maps(1, 1000, "b")))
	require.Equal(t, int64(3000), took(t, c, maps(1, 1000, "c")))
	require.Equal(t, int64(1000), took(t, c, maps(1, 1000)))
}

func TestAttemptsFailByPlan(t *testing.T) {
	r := run(t, quick(plan(t, "fail 1")), maps(1, 1000))
	require.True(t, r.Jobs[0].Failed)
	require.Less(t, r.Jobs[0].SlotTime[job.Map], int64(4000), "four attempts, none of which got to its end")
	require.Equal(t, "stub", r.Trackers)
}

// TestTrackersComeAndGo checks that the JobTracker declares a dead tracker lost after the expiry
// interval. The tracker's tasks and the maps whose output it stored must then run again. If a
// tracker returns sooner, the JobTracker recognizes it by its incarnation.
func TestTrackersComeAndGo(t *testing.T) {
	j := &trace.Job{ID: "j", Maps: []trace.Map{{Time: 10_000}, {Time: 10_000}},
		Reduces: []trace.Reduce{{Shuffle: 1000, Time: 30_000}}}
	for text, want := range map[string]struct {
		lost, reopened int
		min, max       int64
	}{
		"":                      {0, 0, 41_000, 42_000},
		"lose 1 15s":            {1, 1, 600_000, 700_000},
		"lose 1 15s 16s":        {1, 1, 51_000, 60_000},
		"leave 1 15s":           {1, 1, 51_000, 60_000},
		"leave 2 5s; join 1 6s": {1, 0, 41_000, 60_000},
	} {
		var journal bytes.Buffer
		p := plan(t, text+"; join 1 9000h") // a fault in each case makes the trackers real
		c := simulator.Config{Trackers: 2, Slots: [2]int32{1, 1}, Heartbeat: 1000, WaitForWork: true, Plan: p,
			Journal: &journal}
		r := run(t, c, j)
		require.Equal(t, "machine", r.Trackers)
		require.False(t, r.Jobs[0].Failed)
		took := r.Jobs[0].Finish - r.Jobs[0].Start
		lost, reopened := 0, 0
		for _, e := range facts(t, journal.Bytes()) {
			switch e.Type {
			case event.TrackerLost:
				lost++
			case event.TaskReopened:
				reopened++
			}
		}
		require.Equal(t, want.lost, lost, text)
		require.LessOrEqual(t, reopened, want.reopened, text)
		require.GreaterOrEqual(t, took, want.min, text)
		require.LessOrEqual(t, took, want.max, text)
	}
}

// TestStubsAndRealTrackersAgree checks that runs with real machines and with stubs take the same time
// if there are no faults, up to about one heartbeat interval.
func TestStubsAndRealTrackersAgree(t *testing.T) {
	eachSeed(t, *tracesFlag/20, func(t *testing.T, r *rand.Rand) {
		jobs := shape{jobs: 1, oneShuffle: true, slowStart: "0"}.draw(r)
		c := simulator.Config{Trackers: between(r, 1, 4), Slots: [2]int32{2, 2}, Heartbeat: 1000, WaitForWork: true}
		a := run(t, c, jobs...)
		c.Plan = plan(t, "join 1 9000h")
		b := run(t, c, jobs...)
		require.Equal(t, "machine", b.Trackers)
		require.InDelta(t, a.Jobs[0].Finish-a.Jobs[0].Start, b.Jobs[0].Finish-b.Jobs[0].Start, 1100)
	})
}

// TestRealTrackersRunContainers checks that a container policy fills a node by memory instead of
// slots, with stubs and with real trackers.
func TestRealTrackersRunContainers(t *testing.T) {
	for _, name := range []string{"drf", "ngm"} {
		c := simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Heartbeat: 1000, WaitForWork: true, Memory: 8192, VCores: 8}
		c.Policy, c.Scheduler = newPolicy(t, name), name
		stub := took(t, c, maps(6, 10_000))
		c.Policy, c.Plan = newPolicy(t, name), plan(t, "join 1 9000h")
		require.InDelta(t, stub, took(t, c, maps(6, 10_000)), 1100, name)
		require.Less(t, stub, int64(20_000), "six tasks on two slots would take three waves")
	}
}

func newPolicy(t *testing.T, name string) scheduler.Policy {
	p, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	return p
}

// TestCrashesLoseNothing checks that random crashes lose no jobs: every job ends, and the same seed
// produces the same journal.
func TestCrashesLoseNothing(t *testing.T) {
	eachSeed(t, *tracesFlag/20, func(t *testing.T, r *rand.Rand) {
		jobs := shape{jobs: 3}.draw(r)
		c := randomCluster(r)
		c.Trackers = 6
		c.Plan = plan(t, "crash 2m 20s; straggle 0.1 3; fail 0.02")
		a, b := run(t, c, jobs...), run(t, c, jobs...)
		require.Len(t, a.Jobs, len(jobs))
		require.Equal(t, a.Hash, b.Hash)
		c.Seed++
		if len(jobs[0].Maps) > 5 {
			require.NotEqual(t, a.Hash, run(t, c, jobs...).Hash, "another seed")
		}
	})
}
