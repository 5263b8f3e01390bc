package adaptive

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// settings maps configuration keys to values.
type settings map[string]string

func (s settings) conf() *conf.Config {
	c := conf.New()
	for k, v := range s {
		c.Set(k, v, "test")
	}
	return c
}

// fresh returns a new policy with the given settings. The value of FileKey may be the text of a
// curve file.
func fresh(t testing.TB, n scheduler.New, s settings) *Policy {
	setup := scheduler.Setup{Conf: s.conf()}
	if points, ok := s[conf.AdaptiveCapacityFile.Name]; ok {
		setup.Files = []scheduler.File{{Key: conf.AdaptiveCapacityFile.Name, Path: "capacity.txt", Data: []byte(points)}}
	}
	p, err := n(setup)
	require.NoError(t, err)
	return p.(*Policy)
}

// family lists the policies with their most important settings.
var family = []struct {
	name string
	new  scheduler.New
	set  settings
}{
	{"adaptive", New, settings{}},
	{"noms10", New, settings{conf.AdaptiveVariant.Name: NOMS10}},
	{"reverse", NewReverse, settings{}},
	{"reverse-top", NewReverse, settings{conf.AdaptiveLate.Name: LateTop, conf.AdaptiveWholeTasks.Name: "false",
		conf.AdaptiveHorizon.Name: "cycle"}},
	{"reverse-measured", NewReverse, settings{conf.AdaptiveLate.Name: LateOthers, conf.AdaptiveLateWhen.Name: WhenHopeless,
		conf.AdaptiveTaskLength.Name:     LengthProfile,
		conf.AdaptiveCapacitySource.Name: SourceMeasured}},
	{"minmiss", NewMinMiss, settings{}},
}

// goals assigns various goals, resource profiles, and demands to jobs. Some goals have already
// passed when a policytest cluster starts. No demand exceeds the resources of a tracker.
func goals(r *rand.Rand, s *job.Spec) {
	if r.IntN(3) > 0 {
		s.Deadline = 999_900_000 + 400_000*r.Int64N(6)
	}
	if r.IntN(3) == 0 {
		policytest.Set(s, "howdah.job.profile", "map=5000/9000,reduce=2000/3000")
	}
	for phase := range demandPhases {
		for res := CPU; res < resources; res++ {
			if r.IntN(3) == 0 {
				policytest.Set(s, demandKeys[phase][res].Name, fmt.Sprint(r.IntN(3)))
			}
		}
	}
}

func room(r *rand.Rand, g *jobtracker.Register) {
	if r.IntN(2) == 0 {
		g.VCores, g.Memory = 8+int32(r.IntN(8)), 64+int32(r.IntN(64))
	}
}

// The policies assign surplus slots independently of the placement, so every task that fits starts
// within three rounds of heartbeats.
func TestConformance(t *testing.T) {
	for _, f := range family {
		t.Run(f.name, func(t *testing.T) {
			policytest.Run(t, policytest.Options{New: func() scheduler.Policy { return fresh(t, f.new, f.set) }, Rounds: 3,
				Job: goals, Tracker: room,
				Fits: fits, Rebuild: walk, Cases: 40, Starves: "a job that is late comes before those that are not"})
		})
	}
}

// With surplus=min, unneeded slots stay idle, but every job still ends.
func TestConformanceWithoutSurplus(t *testing.T) {
	for _, n := range []scheduler.New{New, NewReverse} {
		policytest.Run(t, policytest.Options{New: func() scheduler.Policy {
			return fresh(t, n,
				settings{conf.AdaptiveSurplus.Name: "min"})
		},
			Job:   goals,
			Idles: "slots that no job needs stay idle", Rebuild: walk, Cases: 40,
			Starves: "a job that is late comes before those that are not"})
	}
}

// fits reports whether a job's resource profile permits one more task on a tracker.
func fits(v scheduler.View, j *scheduler.Job, k job.TaskType, t *scheduler.Tracker) bool {
	need, err := demands(j.Spec)
	if err != nil {
		return false
	}
	room := omega(t, k)
	for _, seq := range v.Jobs() {
		d, _ := demands(v.Job(seq).Spec)
		for typ := range job.TaskType(2) {
			for _, a := range v.Running(seq, typ, nil) {
				if a.Tracker == t.Handle {
					room.take(&d[typ], 1)
				}
			}
		}
	}
	room[Slot] = int64(t.Free(k))
	return need[k].fits(&room)
}

// walk replaces what the policy has counted by a new count of the view. The placement and the state
// of the current cycle remain. walk returns an error if the counts differ.
func walk(v scheduler.View, policy scheduler.Policy) error {
	p := policy.(*Policy)
	before := dump(p)
	u := newUpdater(p.updater.opt)
	u.reset(v)
	u.done, u.spent = p.updater.done, p.updater.spent // also of jobs that have ended
	for _, d := range p.updater.jobs {
		if u.bySeq.Get(d.seq) == nil {
			d.gone, d.pend = true, [2]int32{}
		}
	}
	for _, d := range slices.Clone(u.jobs) {
		if old := p.updater.bySeq.Get(d.seq); old != nil {
			u.take(d)
			old.priority, old.pend, old.run, old.reduces = d.priority, d.pend, d.run, d.reduces
			old.started, old.done, old.spent, old.listed = d.started, d.done, d.spent, [2]bool{}
			u.put(old)
			u.bySeq.Put(d.seq, old)
		}
	}
	p.updater = u
	var n nodes
	n.reset(v, &u)
	for i, x := range n.list {
		old := p.nodes.byHandle.Get(x.handle)
		if old == nil {
			continue
		}
		for c := range old.cells {
			old.cells[c].run = [2]int32{}
		}
		for _, c := range x.cells {
			old.cell(c.d).run = c.run
		}
		old.cells = slices.DeleteFunc(old.cells, func(c cell) bool {
			return c == cell{d: c.d}
		})
		old.used, n.list[i] = x.used, old
		n.byHandle.Put(x.handle, old)
	}
	p.nodes = n
	if after := dump(p); after != before {
		return fmt.Errorf("kept:\n%sanew:\n%s", before, after)
	}
	return nil
}

func dump(p *Policy) string {
	var b strings.Builder
	for _, d := range p.updater.jobs {
		fmt.Fprintln(&b, d.seq, d.priority, d.goal, d.pend, d.run, d.reduces, d.started, d.done, d.spent, d.listed)
	}
	for _, x := range p.nodes.list {
		fmt.Fprintln(&b, "tracker", x.handle, x.used)
		for _, c := range x.cells {
			fmt.Fprintln(&b, c.d.seq, c.d.gone, c.place, c.next, c.run)
		}
	}
	return b.String()
}

func TestSettingsAreChecked(t *testing.T) {
	for key, value := range map[string]string{conf.AdaptiveVariant.Name: "noms11", conf.AdaptiveCycle.Name: "9",
		conf.AdaptiveLate.Name:       "never",
		conf.AdaptiveLateWhen.Name:   "x",
		conf.AdaptiveTaskLength.Name: "x", conf.AdaptiveTaskLengthGuess.Name: "0",
		conf.AdaptiveWholeTasks.Name: "maybe", conf.AdaptiveSurplus.Name: "x", conf.AdaptiveCapacitySource.Name: "x",
		conf.AdaptiveCapacityEnforcedBy.Name: "x",
		conf.AdaptiveCapacityBuffer.Name:     "101", conf.AdaptiveHorizon.Name: "x"} {
		for _, n := range []scheduler.New{New, NewReverse, NewMinMiss} {
			_, err := n(scheduler.Setup{Conf: settings{key: value}.conf()})
			require.True(t, failure.Is(err, failure.Config), "%s=%s: %v", key, value, err)
			require.ErrorContains(t, err, key)
		}
	}
	_, err := NewReverse(scheduler.Setup{Conf: conf.New(),
		Files: []scheduler.File{{Key: conf.AdaptiveCapacityFile.Name, Path: "f.txt", Data: []byte("0h 1\n")}}})
	require.ErrorContains(t, err, "f.txt:1")
}

func TestProfilesAreCheckedAtSubmission(t *testing.T) {
	p := fresh(t, NewReverse, nil)
	for key, value := range map[string]string{"howdah.job.demand.map.cpu": "-1", "howdah.job.demand.shuffle.io": "101",
		"howdah.job.demand.reduce.memory": "much"} {
		err := p.Admit(nil, policytest.Job("u", 1, 0, job.Property{Name: key, Value: value}))
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, key)
	}
	require.NoError(t, p.Admit(nil,
		policytest.Job("u", 1, 0, job.Property{Name: "howdah.job.demand.map.cpu", Value: "0.5"})))
}

// Measurements that took days survive a change of policy within this package.
func TestInherit(t *testing.T) {
	old, p := fresh(t, New, nil), fresh(t, NewReverse, nil)
	old.capacity.measured.add(5*hourMS, Full/2)
	old.updater.done, old.updater.spent = [2]int64{4, 0}, [2]int64{8000, 0}
	p.Inherit(nil, old)
	require.EqualValues(t, Full/2, p.capacity.measured.curve.At(5*hourMS, CPU))
	require.EqualValues(t, 2000, p.updater.length(&descriptor{}, job.Map))
}

// Expect divides the remaining map time by the job's slots. It makes no prediction for a job
// without a slot.
func TestExpect(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveTaskLength.Name: LengthProfile, conf.AdaptiveCycle.Name: "1000"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 2, 1)
	s := policytest.Job("u", 6, 0, job.Property{Name: "howdah.job.profile", Value: "map=10000/10000"})
	seq := h.Submit(s)
	_, ok := p.Expect(h, seq)
	require.False(t, ok, "it has no slot yet")
	h.Beat(tt)
	finish, ok := p.Expect(h, seq)
	require.True(t, ok)
	require.EqualValues(t, h.Now()+30_000, finish, "three waves of two")
	h.Wait(5000)
	finish, _ = p.Expect(h, seq)
	require.EqualValues(t, h.Now()+25_000, finish)
	_, ok = p.Expect(h, seq+1)
	require.False(t, ok)
}
