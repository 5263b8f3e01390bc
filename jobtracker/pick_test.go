package jobtracker

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

func located(splits ...job.SplitMeta) *job.Spec {
	s := spec(0, 0)
	s.Splits = splits
	return s
}

func on(length int64, hosts ...string) job.SplitMeta {
	return job.SplitMeta{Hosts: hosts, Length: length}
}

func (r *rig) pick(seq, tracker int32, max job.Locality) string {
	i, l, ok := r.m.PickMap(seq, tracker, max)
	if !ok {
		return "none"
	}
	return fmt.Sprint(i, " ", int8(l))
}

func TestPickMapByDistance(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r1", 1, 9, 0)
	r.register("b", "h2", "/r1", 1, 9, 0)
	r.register("c", "h3", "/r2", 1, 9, 0)
	seq := r.submit(located(on(5, "h3"), on(5, "h2"), on(1, "h9", "h1"), on(2, "h1", "h1"), on(3)))
	require.Equal(t, "3 0", r.pick(seq, a, job.DataLocal), "the larger of two")
	take := func(want string, max job.Locality) {
		t.Helper()
		require.Equal(t, want, r.pick(seq, a, max))
		if want != "none" {
			i, _, _ := r.m.PickMap(seq, a, max)
			require.True(t, r.m.Launch(mapAttempt(seq, i, 0).Task, a, job.Map))
		}
	}
	take("3 0", job.OffSwitch)
	take("2 0", job.OffSwitch)
	take("4 3", job.DataLocal)
	take("none", job.DataLocal)
	take("1 1", job.RackLocal)
	take("none", job.RackLocal)
	take("0 2", job.OffSwitch)
	take("none", job.OffSwitch)
	c := r.m.Counters(seq, false).Builtin
	require.EqualValues(t, 2, c[job.DataLocalMaps])
	require.EqualValues(t, 1, c[job.RackLocalMaps])
	require.EqualValues(t, 2, c[job.OtherLocalMaps])
	require.Equal(t, "none", r.pick(99, a, job.OffSwitch))
	require.Equal(t, "none", r.pick(seq, 99, job.OffSwitch))
}

// The lists of hosts have no unused room, because a job can have many hosts.
func TestListsOfHostsFit(t *testing.T) {
	var splits []job.SplitMeta
	for i := range int64(100) {
		splits = append(splits, on(i, "h", fmt.Sprint("h", i%7)), on(i))
	}
	p := newPickIndex(splits, new(Machine).ascending(len(splits)))
	require.Len(t, p.hosts, 8)
	for _, l := range append(slices.Collect(maps.Values(p.hosts)), &p.anywhere) {
		require.Len(t, l.items, cap(l.items))
	}
}

// A pick uses racks that become known later and the new rack of a host that moves.
func TestRacksThatBecomeKnown(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r1", 1, 9, 0)
	seq := r.submit(located(on(1, "h2")))
	require.Equal(t, "none", r.pick(seq, a, job.RackLocal))
	require.Equal(t, "0 2", r.pick(seq, a, job.OffSwitch))
	b := r.register("b", "h2", "/r1", 1, 9, 0)
	require.Equal(t, "0 1", r.pick(seq, a, job.RackLocal))
	r.step(Input{Kind: InTrackerLeave, Tracker: b})
	require.Equal(t, "0 1", r.pick(seq, a, job.RackLocal), "the rack of a host without a tracker stays known")
	r.register("b", "h2", "/r2", 2, 9, 0)
	require.Equal(t, "none", r.pick(seq, a, job.RackLocal))
}

func TestNoRackIsNobodysNeighbour(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "", 1, 9, 0)
	r.register("b", "h2", "", 1, 9, 0)
	seq := r.submit(located(on(1, "h2")))
	require.Equal(t, "none", r.pick(seq, a, job.RackLocal))
	require.Equal(t, "0 2", r.pick(seq, a, job.OffSwitch))
}

// The index finds the same task as a search of all tasks, regardless of earlier picks.
func TestPickIndexEqualsSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var splits []job.SplitMeta
		for range rapid.IntRange(0, 12).Draw(t, "maps") {
			splits = append(splits, on(int64(rapid.IntRange(0, 3).Draw(t, "length")),
				rapid.SliceOfN(rapid.SampledFrom([]string{"h1", "h2", "h3", "h4"}), 0, 3).Draw(t, "hosts")...))
		}
		r := newRig(&testing.T{})
		var tts []int32
		for i := range rapid.IntRange(1, 3).Draw(t, "trackers") {
			tts = append(tts, r.register(fmt.Sprint("t", i), fmt.Sprint("h", i+1), fmt.Sprint("/r", i%2), 1, 20, 20))
		}
		s := located(splits...)
		s.Reduces, s.SlowStart, s.TrackerFailures, s.MapAttempts,
			s.ReduceAttempts = int32(rapid.IntRange(0, 5).Draw(t, "reduces")), 0, 0, 100, 100
		seq := r.submit(s)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			tt := rapid.SampledFrom(tts).Draw(t, "tracker")
			max := job.Locality(rapid.IntRange(0, 2).Draw(t, "max"))
			i, l, ok := r.m.PickMap(seq, tt, max)
			wi, wl, wok := search(r.m, seq, tt, max)
			if i != wi || l != wl || ok != wok {
				t.Fatalf("index gives %d %d %v, search %d %d %v", i, l, ok, wi, wl, wok)
			}
			k, kok := r.m.PickReduce(seq, tt)
			wk, wkok := searchReduce(r.m, seq, tt)
			if k != wk || kok != wkok {
				t.Fatalf("index gives reduce %d %v, search %d %v", k, kok, wk, wkok)
			}
			switch run := r.run(tt); rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				if ok {
					r.m.Launch(mapAttempt(seq, i, 0).Task, tt, job.Map)
				}
			case 1:
				if kok {
					r.m.Launch(reduceAttempt(seq, k, 0).Task, tt, job.Reduce)
				}
			case 2:
				if len(run) > 0 {
					r.m.Kill(run[rapid.IntRange(0, len(run)-1).Draw(t, "kill")], "x")
				}
			case 3:
				if len(run) > 0 {
					r.step(Input{Kind: InFailAttempt, Attempt: run[rapid.IntRange(0, len(run)-1).Draw(t, "fail")]})
				}
			}
		}
	})
}

// search computes the expected result of PickMap with a linear search.
func search(m *Machine, seq, tracker int32, max job.Locality) (index int32, l job.Locality, ok bool) {
	j, t := m.jobs.Get(seq), m.trackers.Get(tracker)
	order := map[job.Locality]int{job.DataLocal: 0, job.NoData: 1, job.RackLocal: 2, job.OffSwitch: 3}
	for i := range j.tasks[job.Map] {
		k := &j.tasks[job.Map][i]
		here := m.locality(j, int32(i), t)
		if k.state != job.TaskPending || !m.taskMayRun(j, k, job.Map, t) || here != job.NoData && here > max {
			continue
		}
		longer := ok && j.view.Spec.Splits[i].Length > j.view.Spec.Splits[index].Length
		if !ok || order[here] < order[l] || here == l && longer {
			index, l, ok = int32(i), here, true
		}
	}
	return index, l, ok
}

func searchReduce(m *Machine, seq, tracker int32) (int32, bool) {
	j := m.jobs.Get(seq)
	for i := range j.tasks[job.Reduce] {
		k := &j.tasks[job.Reduce][i]
		if k.state == job.TaskPending && m.taskMayRun(j, k, job.Reduce, m.trackers.Get(tracker)) {
			return int32(i), true
		}
	}
	return 0, false
}

// A task that failed on a tracker does not return to that tracker while another tracker can run it.
func TestFailedTasksGoElsewhere(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h1", "/r", 1, 1, 1)
	r.register("c", "h1", "/r", 1, 0, 0)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	require.Empty(t, r.beat(a, failed(failure.User, "boom", mapAttempt(seq, 0, 0))...).Run)
	require.Equal(t, []int32{b}, r.wakes)
	require.False(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	r.beat(b)
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 2)},
		r.beat(b, failed(failure.User, "boom", mapAttempt(seq, 0, 1))...).Run,
		"it failed wherever there are slots, so it may run anywhere")
}

func TestTaskThatFailedEverywhereGoesAnywhere(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.beat(a, failed(failure.User, "boom", mapAttempt(seq, 0, 0))...)
	r.step(Input{Kind: InTrackerLeave, Tracker: b})
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 1)}, r.beat(a).Run, "there is no other")
	a2 := r.tryRegister("a", "h1", 2).Tracker
	r.inc[a2] = 2
	c := r.register("c", "h1", "/r", 1, 1, 1)
	require.Empty(t, r.beat(a2).Run, "a restarted tracker is the same tracker")
	require.Len(t, r.beat(c).Run, 1)
}

// A tracker on which too many of a job's attempts failed gets no further tasks of that job. The
// exception is a job that would then exclude a quarter or more of the cluster.
func TestTrackersPerJob(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	for _, n := range []string{"b", "c", "d", "e"} {
		r.register(n, "h1", "/r", 1, 1, 0)
	}
	s := spec(4, 0)
	s.TrackerFailures = 2
	seq := r.submit(s)
	r.beat(a)
	d := r.beat(a, append(failed(failure.User, "boom", mapAttempt(seq, 0, 0)),
		says(job.AttemptRunning, mapAttempt(seq, 1, 0))...)...)
	require.Len(t, d.Run, 2)
	require.Zero(t, r.count(event.TrackerBlacklisted))
	d = r.beat(a, append(failed(failure.User, "boom", mapAttempt(seq, 1, 0)), says(job.AttemptRunning, d.Run[1])...)...)
	require.Equal(t, 1, r.count(event.TrackerBlacklisted))
	require.Len(t, d.Run, 1, "no new work of this job")
	require.False(t, r.m.Launch(mapAttempt(seq, 3, 0).Task, a, job.Map))
	require.Len(t, r.m.trackers.Get(a).run, 1)
	other := r.submit(spec(1, 0))
	require.Equal(t, []job.Attempt{d.Run[0], mapAttempt(other, 0, 0)},
		r.beat(a, says(job.AttemptRunning, d.Run[0])...).Run)
	last := r.m.live[len(r.m.live)-1]
	r.step(Input{Kind: InTrackerLeave, Tracker: last})
	require.True(t, r.m.jobMayRun(r.m.jobs.Get(seq), r.m.trackers.Get(a)), "one of four is a quarter")
}

func TestNoBlacklistPerJobIfNotAsked(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.TrackerFailures, s.MapAttempts = 0, 9
	seq := r.submit(s)
	r.beat(a)
	for n := range int32(6) {
		r.beat(a, failed(failure.User, "x", mapAttempt(seq, 0, n))...)
	}
	require.Zero(t, r.count(event.TrackerBlacklisted))
}

// A map that becomes pending again is found again, also by the trackers that only share a rack with
// its input.
func TestReturnedMapsAreFound(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r1", 1, 9, 0)
	r.register("b", "h2", "/r1", 1, 9, 0)
	seq := r.submit(located(on(1, "h2"), on(1, "h9")))
	require.Equal(t, "0 1", r.pick(seq, a, job.RackLocal))
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	require.Equal(t, "none", r.pick(seq, a, job.RackLocal))
	require.True(t, r.m.Kill(mapAttempt(seq, 0, 0), "x"))
	require.Equal(t, "0 1", r.pick(seq, a, job.RackLocal))
}

func TestPickReduceForStrangers(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(0, 1))
	_, ok := r.m.PickReduce(seq, a)
	require.True(t, ok)
	_, ok = r.m.PickReduce(99, a)
	require.False(t, ok, "no such job")
	_, ok = r.m.PickReduce(seq, 99)
	require.False(t, ok, "no such tracker")
}

// The share of the cluster that a job excludes consists of the live trackers on its blacklist. A
// tracker with too few failures for the list does not count, and neither does a lost one.
func TestShareOnAJobsBlacklist(t *testing.T) {
	r, _ := lazyRig(t)
	var tts []int32
	for i := range 7 {
		tts = append(tts, r.register(fmt.Sprint("t", i), "h1", "/r", 1, 2, 1))
	}
	s := spec(2, 0)
	s.TrackerFailures, s.MapAttempts = 2, 9
	seq := r.submit(s)
	fail := func(index, n int32, tracker int32) {
		r.force(mapAttempt(seq, index, n), tracker)
		r.beat(tracker, failed(failure.User, "boom", mapAttempt(seq, index, n))...)
	}
	for n := range int32(2) {
		fail(0, n, tts[0])
		fail(1, n, tts[1])
	}
	fail(0, 2, tts[2])
	require.Equal(t, 2, r.count(event.TrackerBlacklisted))
	may := func() bool { return r.m.jobMayRun(r.m.jobs.Get(seq), r.m.trackers.Get(tts[0])) }
	require.True(t, may(), "two of seven are more than a quarter")
	r.step(Input{Kind: InTrackerLeave, Tracker: tts[1]})
	require.False(t, may(), "one of six is less")
}

// A setup task needs a slot of either type. So a job's blacklist counts if the other trackers have
// slots of one type only.
func TestSetupRunsElsewhereInAnySlot(t *testing.T) {
	for _, slots := range [][]int32{{1, 0}, {0, 1}} {
		r := newRig(t)
		bad := r.register("bad", "h1", "/r", 1, 1, 1)
		s := spec(0, 0)
		s.Committer, s.TrackerFailures = true, 1
		seq := r.submit(s)
		setup := r.beat(bad).Run[0]
		require.Equal(t, job.Setup, setup.Type)
		for _, n := range []string{"b", "c", "d", "e"} {
			r.register(n, "h1", "/r", 1, slots...)
		}
		r.beat(bad, failed(failure.User, "boom", setup)...)
		require.Equal(t, 1, r.count(event.TrackerBlacklisted))
		require.False(t, r.m.jobMayRun(r.m.jobs.Get(seq), r.m.trackers.Get(bad)), "%v", slots)
	}
}

// A pick builds the lists of maps per rack only if the table of racks has changed, because a list
// contains every map of the job. So all other picks allocate no memory.
func TestPicksReuseRackLists(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r1", 1, 1, 0)
	r.register("b", "h2", "/r1", 1, 1, 0)
	seq := r.submit(located(on(1, "h2"), on(1, "h2")))
	require.Zero(t, testing.AllocsPerRun(10, func() { r.m.PickMap(seq, a, job.RackLocal) }))
}
