package dhfs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// sits counts running tasks by user, type, and slot type. For example, "a.mr" counts user a's maps
// in reduce slots.
func sits(h *policytest.Hand) map[string]int {
	out := map[string]int{}
	var buf []*scheduler.Attempt
	for _, seq := range h.Jobs() {
		for k := range job.TaskType(2) {
			buf = h.Running(seq, k, buf[:0])
			for _, a := range buf {
				out[fmt.Sprintf("%s.%c%c", h.Job(seq).Spec.User, k.Letter(), a.Slot.Letter())]++
			}
		}
	}
	return out
}

// all runs a test with each of the three schedulers.
func all(t *testing.T, f func(t *testing.T, new scheduler.New)) {
	for _, c := range policies {
		t.Run(c.name, func(t *testing.T) { f(t, c.new) })
	}
}

// place runs jobs on two trackers with 4 map and 2 reduce slots each, for three heartbeats of each
// tracker. It returns the handles of the trackers.
func place(t *testing.T, p scheduler.Policy, jobs ...*job.Spec) (*policytest.Hand, []int32) {
	h := policytest.NewHand(t, p)
	for _, s := range jobs {
		h.Submit(s)
	}
	x, y := h.Join("x", "h1", "/r", 4, 2), h.Join("y", "h2", "/r", 4, 2)
	for range 3 {
		h.Beat(x)
		h.Beat(y)
	}
	return h, []int32{x, y}
}

// In the four scenarios of section III-A, slots are lent only if tasks of one type lack slots while
// slots of the other type are idle. PD-DHFS is an exception.
func TestFourScenarios(t *testing.T) {
	all(t, func(t *testing.T, f scheduler.New) {
		for _, c := range []struct {
			name          string
			maps, reduces int32
			want          map[string]int
		}{
			{"both suffice", 5, 3, map[string]int{"a.mm": 5, "a.rr": 3}},
			{"maps borrow", 20, 1, map[string]int{"a.mm": 8, "a.rr": 1, "a.mr": 3}},
			{"reduces borrow", 3, 20, map[string]int{"a.mm": 3, "a.rr": 4, "a.rm": 5}},
			{"both lack", 20, 20, map[string]int{"a.mm": 8, "a.rr": 4}},
			{"maps alone", 20, 0, map[string]int{"a.mm": 8, "a.mr": 4}},
			{"exactly full", 8, 9, map[string]int{"a.mm": 8, "a.rr": 4}},
		} {
			p := build1(t, f)
			h, _ := place(t, p, policytest.Job("a", c.maps, c.reduces))
			if got := sits(h); c.name != "both suffice" || t.Name() != "TestFourScenarios/pd-dhfs" {
				require.Equal(t, c.want, got, c.name)
			} else { // section V: PD-DHFS lends slots even then
				require.Equal(t, []int{5, 3}, []int{got["a.mm"] + got["a.mr"], got["a.rr"] + got["a.rm"]})
			}
		}
	})
}

// Algorithm 1, lines 10 to 12 and 15 to 17: the extra demand is the shortfall. It is at most
// floor(capacity x percentage) minus the number of borrowed slots.
func TestAlgorithm1(t *testing.T) {
	p := build1(t, NewPoolIndependent, conf.DHFSPercentageOfBorrowedMapSlots.Name, "60",
		conf.DHFSPercentageOfBorrowedReduceSlots.Name, "50")
	h, _ := place(t, p, policytest.Job("a", 2, 20))
	require.Equal(t, map[string]int{"a.mm": 2, "a.rr": 4, "a.rm": 4}, sits(h), "floor(0.6 x 8) = 4")
	b := &beat{t: h.Tracker(h.Trackers()[0]), all: h.Cluster()}
	require.Equal(t, [2]int64{6, 4 + 16 - 4}, p.demand(b), "used slots, by whichever type, and pending tasks")
	require.Zero(t, p.algorithm1(b).lend[job.Map], "4 of 4 are lent")
	p.opt.percent[job.Map] = 100
	require.EqualValues(t, 4, p.algorithm1(b).lend[job.Map], "min(8 - 4, 16 - 4)")

	p = build1(t, NewPoolIndependent, conf.DHFSPercentageOfBorrowedMapSlots.Name, "60",
		conf.DHFSPercentageOfBorrowedReduceSlots.Name, "50")
	h, _ = place(t, p, policytest.Job("a", 20, 0))
	require.Equal(t, map[string]int{"a.mm": 8, "a.mr": 2}, sits(h), "floor(0.5 x 4) = 2")
}

// The text of section III-A applies the percentage to the unused slots.
func TestPercentageOfUnusedSlots(t *testing.T) {
	p := build1(t, NewPoolIndependent, conf.DHFSPercentageOfBorrowedMapSlots.Name, "60", conf.DHFSPercentageOf.Name,
		"unused")
	h, _ := place(t, p, policytest.Job("a", 2, 20))
	require.Equal(t, map[string]int{"a.mm": 2, "a.rr": 4, "a.rm": 3}, sits(h), "floor(0.6 x (8 - 2)) = 3")
}

// A percentage of 0 disables dynamic slots.
func TestNothingIsLent(t *testing.T) {
	all(t, func(t *testing.T, f scheduler.New) {
		p := build1(t, f, conf.DHFSPercentageOfBorrowedMapSlots.Name, "0", conf.DHFSPercentageOfBorrowedReduceSlots.Name, "0")
		h, _ := place(t, p, policytest.Job("a", 20, 0), policytest.Job("b", 0, 20))
		require.Equal(t, map[string]int{"a.mm": 8, "b.rr": 4}, sits(h))
		h, _ = place(t, build1(t, f, conf.DHFSPercentageOfBorrowedMapSlots.Name, "0",
			conf.DHFSPercentageOfBorrowedReduceSlots.Name, "0"), policytest.Job("a", 20, 0))
		require.Equal(t, map[string]int{"a.mm": 8}, sits(h))
	})
}

// Section III-A: slots first go to tasks of their own phase. In figure 5(a), the maps of pool 2 get
// all map slots and the reduces of pool 1 get all reduce slots.
func TestPoolIndependentFlow(t *testing.T) {
	h, _ := place(t, build1(t, NewPoolIndependent), policytest.Job("one", 0, 40), policytest.Job("two", 40, 0))
	require.Equal(t, map[string]int{"two.mm": 8, "one.rr": 4}, sits(h))
}

// Section III-B and figure 5(b): each pool gets half of all slots.
func TestPoolDependentFlow(t *testing.T) {
	h, _ := place(t, build1(t, NewPoolDependent), policytest.Job("one", 0, 40), policytest.Job("two", 40, 0))
	require.Equal(t, map[string]int{"two.mm": 6, "one.rr": 4, "one.rm": 2}, sits(h))
}

// Section III-B, inter-pool: slots that a pool does not need go to the others, in any phase.
func TestPoolDependentLendsToOthers(t *testing.T) {
	h, _ := place(t, build1(t, NewPoolDependent), policytest.Job("one", 0, 3), policytest.Job("two", 40, 0))
	n := sits(h)
	require.Equal(t, []int{3, 9}, []int{n["one.rr"] + n["one.rm"], n["two.mm"] + n["two.mr"]})
}

// Section III-A: pools share borrowed slots by max-min fairness within the phase.
func TestBorrowedSlotsAreSharedFairly(t *testing.T) {
	h, _ := place(t, build1(t, NewPoolIndependent), policytest.Job("one", 40, 0), policytest.Job("two", 40, 0))
	n := sits(h)
	require.Equal(t, 6, n["one.mm"]+n["one.mr"])
	require.Equal(t, 6, n["two.mm"]+n["two.mr"])
}

// Section I: dynamic slots with FIFO. The first job gets all the slots that it can use.
func TestFIFO(t *testing.T) {
	h, _ := place(t, build1(t, NewFIFO), policytest.Job("one", 9, 0), policytest.Job("two", 40, 0))
	n := sits(h)
	require.Equal(t, 9, n["one.mm"]+n["one.mr"])
	require.Equal(t, 3, n["two.mm"]+n["two.mr"])
}

// Algorithm 2, Case (5): an off-switch map runs if no other task can be assigned. With PI-DHFS or
// without the rule, the map waits as in delay scheduling.
func TestCase5(t *testing.T) {
	far := func() *job.Spec {
		s := policytest.Job("a", 2, 0)
		s.Splits[0].Hosts, s.Splits[1].Hosts = []string{"far"}, []string{"far"}
		return s
	}
	for _, c := range []struct {
		f     scheduler.New
		relax string
		want  int
	}{{NewPoolDependent, "true", 2}, {NewPoolDependent, "false", 0}, {NewPoolIndependent, "true", 0}} {
		h := policytest.NewHand(t, build1(t, c.f, conf.DHFSRelaxLocality.Name, c.relax,
			conf.FairSchedulerLocalityDelay.Name, "1000"))
		h.Submit(far())
		x := h.Join("x", "here", "/r", 2, 1)
		require.Len(t, h.Beat(x), c.want)
	}
}

// Algorithm 2: the reduces of another pool come before a pool's off-switch map.
func TestReducesBeforeFarMaps(t *testing.T) {
	s := policytest.Job("a", 1, 0)
	s.Splits[0].Hosts = []string{"far"}
	h := policytest.NewHand(t, build1(t, NewPoolDependent, conf.FairSchedulerLocalityDelay.Name, "1000"))
	h.Submit(s)
	h.Submit(policytest.Job("b", 0, 5))
	x := h.Join("x", "here", "/r", 2, 1)
	h.Beat(x)
	require.Equal(t, map[string]int{"b.rr": 1, "b.rm": 2}, sits(h))
}

// By default, a task in a lent slot runs to its end. With the option, preemption kills such tasks
// first.
func TestPreemptionOfBorrowedSlots(t *testing.T) {
	for option, want := range map[string]int{"false": 0, "true": 6} {
		s := setup(conf.DHFSPreemptBorrowed.Name, option, conf.FairSchedulerPreemption.Name, "true",
			conf.FairSchedulerPreemptionInterval.Name, "1000")
		s.Files = []scheduler.File{{Key: conf.FairSchedulerAllocationFile.Name, Path: "f.xml", Data: []byte(
			`<allocations><pool name="b"><minMaps>6</minMaps><minSharePreemptionTimeout>2</minSharePreemptionTimeout></pool></` +
				`allocations>`)}}
		p, err := NewPoolIndependent(s)
		require.NoError(t, err)
		h, trackers := place(t, p, policytest.Job("a", 0, 40))
		require.Equal(t, map[string]int{"a.rr": 4, "a.rm": 8}, sits(h))
		h.Submit(policytest.Job("b", 20, 0))
		h.Wait(3600)
		for _, x := range trackers {
			h.Beat(x)
		}
		require.Len(t, h.Log, want, option)
		for _, id := range h.Log {
			require.Equal(t, job.Map, h.Attempt(id).Slot)
		}
	}
}

// Groups reports the borrowed slots of each pool.
func TestGroupsTellWhatIsBorrowed(t *testing.T) {
	p := build1(t, NewPoolIndependent)
	h, _ := place(t, p, policytest.Job("a", 20, 1))
	g := p.Groups(h, nil)
	require.Equal(t, [2]int32{11, 1}, g[0].Running)
	require.Equal(t, [2]int32{3, 0}, g[0].Borrowed)
}

// The policy spreads a small job over the cluster. No tracker gets more than its share (Algorithm
// 1, line 18; Algorithm 2, line 3).
func TestSmallJobsAreSpread(t *testing.T) {
	all(t, func(t *testing.T, f scheduler.New) {
		h := policytest.NewHand(t, build1(t, f))
		h.Submit(policytest.Job("a", 4, 0))
		x, y := h.Join("x", "h1", "/r", 4, 2), h.Join("y", "h2", "/r", 4, 2)
		require.Len(t, h.Beat(x), 2)
		require.Len(t, h.Beat(y), 2)
	})
}

// With slow start 0, a job with waiting maps does not fill the map slots with reduces.
func TestReducesLeaveMapSlotsToWaitingMaps(t *testing.T) {
	all(t, func(t *testing.T, f scheduler.New) {
		s := policytest.Job("a", 9, 9)
		s.SlowStart = 0
		for i := range s.Splits {
			s.Splits[i].Hosts = []string{"elsewhere"} // the maps wait for a closer slot
		}
		h := policytest.NewHand(t, build1(t, f, conf.FairSchedulerLocalityDelay.Name, "60000"))
		h.Submit(s)
		x := h.Join("x", "h1", "/r", 4, 2)
		h.Beat(x)
		h.Beat(x)
		require.Zero(t, sits(h)["a.rm"])
	})
}
