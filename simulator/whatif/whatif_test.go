package whatif

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

const (
	start   = 1_700_000_000_000
	cluster = "200001010000"
)

// constant returns a trace whose tasks take a constant time in each job.
func constant(r *rand.Rand, jobs int) *trace.Trace {
	t := &trace.Trace{}
	at := int64(start)
	for i := range jobs {
		j := &trace.Job{ID: fmt.Sprintf("job_200001010000_%04d", i+1), Name: fmt.Sprint("j", i), User: fmt.Sprint("u", i%3),
			Queue: "default", Submit: at}
		at += r.Int64N(4000)
		ms := 1000 + r.Int64N(9000)
		for range 1 + r.IntN(30) {
			j.Maps = append(j.Maps, trace.Map{Time: ms})
		}
		for k := range r.IntN(6) {
			j.Reduces = append(j.Reduces, trace.Reduce{First: k%2 == 0, Shuffle: ms / 2, Time: ms / 3})
		}
		if len(j.Reduces) == 1 { // both kinds of shuffle must be known
			j.Reduces = append(j.Reduces, trace.Reduce{Shuffle: ms / 2, Time: ms / 3})
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// known is what a JobTracker knows about jobs.
type known struct {
	v        scheduler.View
	mapsDone map[int32]int64
}

func (k known) Profile(seq int32) estimate.Profile { return estimate.Given(k.v.Job(seq).Spec) }

func (k known) MapEnd(seq int32) int64 { return k.mapsDone[seq] }

// capture reads the state as a JobTracker would, and passes it through JSON.
func capture(t *testing.T, v scheduler.View, p Profiles, name string, r Reader) *State {
	c, err := Begin(v, v.Jobs())
	require.NoError(t, err)
	for more := true; more; {
		more, err = c.Step(v, p, cluster)
		require.NoError(t, err)
	}
	text, err := json.Marshal(c.State(Scheduler{Name: name}, r))
	require.NoError(t, err)
	s, err := Read(bytes.NewReader(text))
	require.NoError(t, err, "%s", text)
	return s
}

func policyOf(t *testing.T, name string) scheduler.Policy {
	p, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	return p
}

// If all durations are known, a simulation that is continued from any state under the same policy
// ends each job when the whole simulation ends it.
func TestForkEndsWhereTheWholeRunEnds(t *testing.T) {
	forks, jobs := 0, 0
	for seed := range uint64(60) {
		for _, name := range []string{"fifo", "fifo-dhfs", "maxedf"} {
			r := rand.New(rand.NewPCG(seed, 1))
			tr := constant(r, 12)
			c := tasklevel.Config{Slots: [2]int32{6, 4}, Trackers: 3, Scheduler: name, Policy: policyOf(t, name)}
			whole, err := tasklevel.Run(t.Context(), c, tr.Source())
			require.NoError(t, err)
			mapsDone, ends := map[int32]int64{}, map[string]int64{}
			for _, j := range whole.Jobs {
				mapsDone[j.Seq], ends[job.ID{Cluster: cluster, Seq: j.Seq}.String()] = j.MapsDone, j.Finish
			}
			lastSubmit := tr.Jobs[len(tr.Jobs)-1].Submit
			var s *State
			c.Policy, c.SampleEvery = policyOf(t, name), 1+(lastSubmit-start)+r.Int64N(whole.Makespan-(lastSubmit-start))
			c.Sample = func(v scheduler.View) {
				if s == nil && v.Now() > lastSubmit && len(v.Jobs()) > 0 {
					s = capture(t, v, known{v, mapsDone}, name, Reader{Admin: true})
				}
			}
			_, err = tasklevel.Run(t.Context(), c, tr.Source())
			require.NoError(t, err)
			if s == nil {
				continue
			}
			forks++
			for i := range s.Jobs {
				j := &s.Jobs[i]
				ms := tr.Jobs[mustSeq(t, j.ID)-1].Maps[0].Time
				j.Seen = Seen{Map: five(ms), First: five(ms / 2), Typical: five(ms / 2), Reduce: five(ms / 3)}
			}
			f, err := Predict(t.Context(), s, Options{Schedulers: []string{name}, Repeat: 3})
			require.NoError(t, err)
			for i := range s.Jobs {
				jobs++
				for _, run := range f.Policies[0].Finish {
					require.Equal(t, ends[s.Jobs[i].ID], run[i], "seed %d, %s, job %s", seed, name, s.Jobs[i].ID)
				}
			}
		}
	}
	require.Greater(t, forks, 100)
	require.Greater(t, jobs, 500)
}

func five(ms int64) []int64 { return []int64{ms, ms, ms, ms, ms} }

func mustSeq(t *testing.T, id string) int32 {
	x, err := job.ParseID(id)
	require.NoError(t, err)
	return x.Seq
}

// view is a small cluster as a JobTracker sees it.
type view struct {
	scheduler.View
	jobs  []*scheduler.Job
	tasks map[job.TaskType][]*scheduler.Attempt // of the first job
	past  []*scheduler.Attempt                  // of the third job
}

func (v *view) Now() int64                       { return start }
func (v *view) Trackers() []int32                { return []int32{7} }
func (v *view) Tracker(int32) *scheduler.Tracker { return &scheduler.Tracker{Slots: [2]int32{4, 2}} }
func (v *view) Job(seq int32) *scheduler.Job     { return v.jobs[seq-1] }
func (v *view) Jobs() (list []int32) {
	for i := range v.jobs {
		list = append(list, int32(i)+1)
	}
	return list
}

func (v *view) Running(seq int32, t job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	return v.of(seq, t, buf, true)
}

func (v *view) Ended(seq int32, t job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	return v.of(seq, t, buf, false)
}

func (v *view) of(seq int32, t job.TaskType, buf []*scheduler.Attempt, running bool) []*scheduler.Attempt {
	for _, a := range v.past {
		if seq == 3 && !running && a.ID.Type == t {
			buf = append(buf, a)
		}
	}
	for _, a := range v.tasks[t] {
		if seq == 1 && (a.State == job.AttemptRunning) == running {
			buf = append(buf, a)
		}
	}
	return buf
}

// twoUsers returns a view with a running job of ann and a waiting job of bob.
func twoUsers() *view {
	spec := func(user, name, word string) *job.Spec {
		return &job.Spec{Name: name, User: user, Queue: "default", Splits: make([]job.SplitMeta, 4), Reduces: 1,
			SlowStart: 500_000, Conf: []job.Property{{Name: "group.name", Value: word + "-group"},
				{Name: "howdah.job.demand.map.cpu", Value: "2"}, {Name: "mapred.fairscheduler.pool", Value: word + "-pool"},
				{Name: "my.password", Value: word + "-word"}}}
	}
	v := &view{tasks: map[job.TaskType][]*scheduler.Attempt{}}
	v.jobs = []*scheduler.Job{
		{Seq: 1, State: job.Running, Submit: start - 9000, Start: start - 8000, Spec: spec("ann", "secret\nname", "secret"),
			Tasks: [2]int32{4, 1}, Finished: [2]int32{1}, Running: [2]int32{2}},
		{Seq: 2, State: job.Prep, Submit: start - 1000, Spec: spec("bob", "bobs", "public"), Tasks: [2]int32{4, 1}},
		{Seq: 3, State: job.Succeeded, Submit: start - 9000, Spec: spec("ann", "old", "secret")},
	}
	add := func(i int32, n int32, state job.AttemptState, from, to int64) {
		v.tasks[job.Map] = append(v.tasks[job.Map], &scheduler.Attempt{
			ID:      job.Attempt{Task: job.Task{Job: 1, Index: i}, N: n},
			Tracker: 7, State: state, Start: start - from, Finish: to, Progress: 300_000})
	}
	add(0, 0, job.AttemptSucceeded, 8000, start-3000)
	add(1, 0, job.AttemptFailed, 8000, start-7000)
	add(1, 1, job.AttemptRunning, 6000, 0)
	add(2, 0, job.AttemptRunning, 3000, 0)
	add(2, 1, job.AttemptRunning, 1000, 0) // speculative
	v.past = []*scheduler.Attempt{
		{State: job.AttemptSucceeded, Start: start - 9000, Finish: start - 7000},
		{ID: job.Attempt{Task: job.Task{Type: job.Reduce}}, State: job.AttemptSucceeded, Start: start - 8000,
			SortDone: start - 6500, Finish: start - 6000}}
	return v
}

func TestCapture(t *testing.T) {
	v := twoUsers()
	s := capture(t, v, known{v, nil}, "fair", Reader{Admin: true})
	require.Len(t, s.Jobs, 2)
	require.Equal(t, []Tracker{{Slots: [2]int32{4, 2}}}, s.Trackers)
	j := &s.Jobs[0]
	require.Equal(t, "job_200001010000_0001 ann secret name", j.ID+" "+j.User+" "+j.Name)
	require.Equal(t, Seen{Map: []int64{5000}}, j.Seen, "a failed attempt says nothing")
	require.Equal(t, []Attempt{{Start: start - 6000, Progress: 300_000}, {Start: start - 3000, Progress: 300_000}},
		j.Running, "only the oldest attempt of a task counts")
	require.Equal(t, [2]int32{1, 0}, j.Done)
	require.Len(t, j.Settings, 3)
	require.Empty(t, s.Jobs[1].Running)
	require.Equal(t, []Past{{User: "ann", Name: "old", Seen: Seen{Map: []int64{2000}, First: []int64{500},
		Reduce: []int64{500}}}}, s.Past)
}

// Who is not an administrator sees no name, user, or setting of another user's job. The opaque
// names stay the same, and depend on the JobTracker's key.
func TestOtherUsersJobsAreHidden(t *testing.T) {
	v := twoUsers()
	files := Scheduler{Name: "fair", Files: []scheduler.File{{Key: "k", Path: "/etc/secret-file",
		Data: []byte("secret-data")}},
		Settings: map[string]string{"mapred.fairscheduler.preemption": "true",
			"mapred.fairscheduler.allocation.file": "/etc/secret-file"}}
	of := func(r Reader) (*State, string) {
		c, err := Begin(v, v.Jobs())
		require.NoError(t, err)
		_, err = c.Step(v, known{v, nil}, cluster)
		require.NoError(t, err)
		text, err := json.Marshal(c.State(files, r))
		require.NoError(t, err)
		s, err := Read(bytes.NewReader(text))
		require.NoError(t, err)
		return s, string(text)
	}
	s, text := of(Reader{User: "bob", Key: []byte("1")})
	require.NotContains(t, text, "secret")
	require.NotContains(t, text, "ann")
	require.NotContains(t, text, "_0001")
	require.True(t, s.Jobs[0].Hidden)
	require.Equal(t, []int64{5000}, s.Jobs[0].Seen.Map, "its durations remain")
	require.False(t, s.Jobs[1].Hidden)
	require.Equal(t, "bobs", s.Jobs[1].Name)
	require.Len(t, s.Jobs[1].Settings, 3)
	require.Equal(t, s.Jobs[0].User, s.Past[0].User)
	require.Empty(t, s.Past[0].Name)
	require.True(t, s.Scheduler.Hidden)
	require.Equal(t, map[string]string{"mapred.fairscheduler.preemption": "true"}, s.Scheduler.Settings)

	again, _ := of(Reader{User: "bob", Key: []byte("1")})
	require.Equal(t, s, again)
	carol, _ := of(Reader{User: "carol", Key: []byte("1")})
	require.Equal(t, s.Jobs[0].ID, carol.Jobs[0].ID)
	other, _ := of(Reader{User: "bob", Key: []byte("2")})
	require.NotEqual(t, s.Jobs[0].ID, other.Jobs[0].ID)
	_, text = of(Reader{Admin: true})
	require.Contains(t, text, "secret-file")
	require.Contains(t, text, "secret-pool")
	require.NotContains(t, text, "secret-word", "no policy uses it")

	_, err := Predict(t.Context(), s, Options{Repeat: 2})
	require.NoError(t, err, "a state with hidden jobs can be simulated")
}

// A damaged or hostile answer results in an error of kind Corrupt, never in a panic, an endless
// simulation, or control characters on the terminal.
func TestDamagedStates(t *testing.T) {
	text, err := json.Marshal(busy(20))
	require.NoError(t, err)
	_, err = Read(bytes.NewReader(text))
	require.NoError(t, err)
	for name, spoil := range map[string]func(*State){
		"format":             func(s *State) { s.Format = 2 },
		"no time":            func(s *State) { s.Now = 0 },
		"far future":         func(s *State) { s.Now = math.MaxInt64 },
		"many slots":         func(s *State) { s.Trackers[0].Slots[1] = maxSlots + 1 },
		"negative slots":     func(s *State) { s.Trackers[0].Slots[0] = -1 },
		"load":               func(s *State) { s.Trackers[0].Load = million + 1 },
		"many tasks":         func(s *State) { s.Jobs[0].Tasks[0] = MaxTasks + 1 },
		"many tasks in sum":  func(s *State) { s.Jobs[0].Tasks[0], s.Jobs[1].Tasks[0] = MaxTasks-10, MaxTasks-10 },
		"negative tasks":     func(s *State) { s.Jobs[0].Tasks[1] = -1 },
		"more done than all": func(s *State) { s.Jobs[0].Done[0] = math.MaxInt32 },
		"negative done":      func(s *State) { s.Jobs[0].Done[1] = -5 },
		"unknown tracker":    func(s *State) { s.Jobs[0].Running = []Attempt{{Tracker: 100, Start: start}} },
		"unknown type":       func(s *State) { s.Jobs[0].Running = []Attempt{{Type: 3, Start: start}} },
		"unknown slot":       func(s *State) { s.Jobs[0].Running = []Attempt{{Slot: 9, Start: start}} },
		"start":              func(s *State) { s.Jobs[0].Running = []Attempt{{Start: math.MinInt64}} },
		"progress":           func(s *State) { s.Jobs[0].Running = []Attempt{{Start: start, Progress: -1}} },
		"duration":           func(s *State) { s.Jobs[0].Seen.Map = []int64{maxDuration + 1} },
		"negative duration":  func(s *State) { s.Jobs[0].Seen.Reduce = []int64{-1} },
		"many durations":     func(s *State) { s.Jobs[0].Seen.First = make([]int64, maxSeen+1) },
		"profile":            func(s *State) { s.Jobs[0].Profile = "map=NaN" },
		"past":               func(s *State) { s.Past = []Past{{Seen: Seen{Map: []int64{-1}}}} },
		"past name":          func(s *State) { s.Past = []Past{{Name: "\x1b"}} },
		"priority":           func(s *State) { s.Jobs[0].Priority = 100 },
		"slow start":         func(s *State) { s.Jobs[0].SlowStart = -1 },
		"deadline":           func(s *State) { s.Jobs[0].Deadline = math.MaxInt64 },
		"terminal":           func(s *State) { s.Jobs[0].Name = "\x1b[2J" },
		"long":               func(s *State) { s.Jobs[0].User = strings.Repeat("x", maxText+1) },
		"setting":            func(s *State) { s.Scheduler.Settings = map[string]string{"hadoop.security.x": "y"} },
		"order of settings": func(s *State) {
			s.Jobs[0].Settings = []job.Property{{Name: "b"}, {Name: "a"}}
		},
	} {
		s := busy(20)
		spoil(s)
		text, err := json.Marshal(s)
		require.NoError(t, err)
		_, err = Read(bytes.NewReader(text))
		require.True(t, failure.Is(err, failure.Corrupt), "%s: %v", name, err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 2000 { // bytes changed at random
		x := slices.Clone(text)
		for range 1 + r.IntN(4) {
			x[r.IntN(len(x))] = text[r.IntN(len(text))]
		}
		if s, err := Read(bytes.NewReader(x[:r.IntN(len(x)+1)])); err == nil {
			_, err := Predict(t.Context(), s, Options{Schedulers: []string{"fifo"}, Repeat: 1})
			require.True(t, err == nil || failure.KindOf(err) != failure.Internal, "%v", err)
		} else {
			require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
		}
	}
	twice := busy(20)
	twice.Jobs[1].ID = twice.Jobs[0].ID
	_, err = Predict(t.Context(), twice, Options{Repeat: 1})
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

// The number of workers does not change the result, and each policy ends every job.
func TestPredictIsDeterministic(t *testing.T) {
	s := busy(60)
	one, err := Predict(t.Context(), s, Options{Seed: 5, Repeat: 12})
	require.NoError(t, err)
	two, err := Predict(t.Context(), s, Options{Seed: 5, Repeat: 12, Workers: 4})
	require.NoError(t, err)
	require.Equal(t, one, two)
	require.Equal(t, "fair", one.Policies[0].Name, "the active policy is first")
	require.Len(t, one.Skipped, 2)
	runs := map[int]int{}
	for _, p := range one.Policies {
		runs[len(p.Finish)]++
		for _, run := range p.Finish {
			require.GreaterOrEqual(t, slices.Min(run), int64(start))
		}
	}
	require.Equal(t, map[int]int{12: 1 + finalists, screening: 13 - 1 - finalists}, runs)
	other, err := Predict(t.Context(), s, Options{Seed: 6, Repeat: 12})
	require.NoError(t, err)
	require.NotEqual(t, one.Policies, other.Policies)
}

func TestPredictStops(t *testing.T) {
	s := busy(60)
	f, err := Predict(t.Context(), s, Options{Within: time.Nanosecond})
	require.NoError(t, err)
	require.Len(t, f.Policies[0].Finish, 1, "the first repetition always runs")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Predict(ctx, s, Options{})
	require.ErrorIs(t, err, context.Canceled)
	for _, name := range []string{"drf", "nobodys"} {
		s.Scheduler.Name = name
		_, err = Predict(t.Context(), s, Options{Repeat: 1})
		require.True(t, failure.Is(err, failure.Failed), "%v", err)
	}
	_, err = Predict(t.Context(), &State{}, Options{})
	require.ErrorContains(t, err, "no unfinished jobs")
}

func TestIntervalOf(t *testing.T) {
	list := make([]float64, 39)
	for i := range list {
		list[i] = float64((i * 7) % 39)
	}
	require.Equal(t, Interval{Median: 19, Low: 0, High: 38, Coverage: 0.95}, IntervalOf(list))
	require.Equal(t, Interval{Median: 5, Low: 4, High: 6, Coverage: 0.5}, IntervalOf([]float64{6, 4, 5}))
	require.Equal(t, Interval{Median: 4, Low: 4, High: 4}, IntervalOf([]float64{4}))
	require.Zero(t, IntervalOf(nil))
	for i := range 79 - len(list) {
		list = append(list, float64(39+i))
	}
	require.Equal(t, Interval{Median: 39, Low: 1, High: 77, Coverage: 0.95}, IntervalOf(list))
}

// forecastOf returns a forecast for two jobs, the first of which has a deadline after 100 s. Each
// policy's jobs end after the given times in s, which vary by one second between repetitions.
func forecastOf(runs int, policies map[string][2]int64) *Forecast {
	f := &Forecast{State: &State{Now: start, Jobs: []Job{{Deadline: start + 100_000}, {}}}}
	for _, name := range []string{"fifo", "fair", "capacity"} {
		p := Policy{Name: name}
		for i := range int64(runs) {
			p.Finish = append(p.Finish, []int64{start + 1000*(policies[name][0]+i%2), start + 1000*(policies[name][1]+i%2)})
		}
		f.Policies = append(f.Policies, p)
	}
	return f
}

func TestAdvise(t *testing.T) {
	for _, x := range []struct {
		runs     int
		policies map[string][2]int64
		goal     Goal
		min      float64
		want     string
	}{
		{39, map[string][2]int64{"fifo": {90, 300}, "fair": {80, 200}, "capacity": {90, 290}}, "", 5, "time fair 55 28%"},
		{39, map[string][2]int64{"fifo": {90, 300}, "fair": {80, 200}, "capacity": {90, 290}}, "", 50,
			"the gain of fair, the best other scheduler, is less than 50%"},
		{38, map[string][2]int64{"fifo": {90, 300}, "fair": {80, 200}, "capacity": {90, 290}}, "", 5,
			"38 repetitions are too few; an interval of 95% needs 39"},
		{39, map[string][2]int64{"fifo": {120, 200}, "fair": {90, 300}, "capacity": {130, 190}}, "", 5, "missed fair 1 100%"},
		{39, map[string][2]int64{"fifo": {120, 200}, "fair": {90, 300}, "capacity": {130, 190}}, Time, 0,
			"no other scheduler is better"},
		{39, map[string][2]int64{"fifo": {90, 400}, "fair": {120, 200}, "capacity": {90, 390}}, Time, 0,
			"time capacity 5 2%"},
		{39, map[string][2]int64{"fifo": {90, 400}, "fair": {120, 200}, "capacity": {90, 395}}, Makespan, 20,
			"fair misses more deadlines"},
	} {
		a := forecastOf(x.runs, x.policies).Advise(x.goal, x.min)
		got := a.Why
		if a.To != "" {
			require.Positive(t, a.Gain.Low)
			got = fmt.Sprintf("%s %s %g %.0f%%", a.Goal, a.To, a.Gain.Median, a.Percent)
		}
		require.Equal(t, x.want, got)
	}
	f := forecastOf(39, map[string][2]int64{"fifo": {90, 300}, "fair": {80, 200}, "capacity": {90, 300}})
	f.Policies[1].Finish[5] = []int64{start + 90_000, start + 400_000} // one future in which fair is worse
	require.Equal(t, "the gain of fair, the best other scheduler, is uncertain", f.Advise(Time, 0).Why)
	_, err := ParseGoal("speed")
	require.True(t, failure.Is(err, failure.Usage))
}

func TestFollower(t *testing.T) {
	w := Follower{Agree: 3, Rest: 60_000}
	w.Switched(start-60_000, "drf")
	var log []string
	for i, to := range []string{"fair", "fair", "", "fair", "capacity", "fair", "fair", "fair", "fifo", "fifo",
		"fifo", "fifo"} {
		now := int64(start + 20_000*i)
		do, why := w.Decide(now, &Advice{To: to, Why: "uncertain"})
		log = append(log, fmt.Sprint(to, " ", do, " ", why))
		if do {
			w.Switched(now, to)
		}
	}
	require.Equal(t, []string{"fair false seen 1 of 3 times in a row", "fair false seen 2 of 3 times in a row",
		" false uncertain",
		"fair false seen 1 of 3 times in a row", "capacity false seen 1 of 3 times in a row",
		"fair false seen 1 of 3 times in a row", "fair false seen 2 of 3 times in a row", "fair true ",
		"fifo false seen 1 of 3 times in a row", "fifo false seen 2 of 3 times in a row", "fifo true ",
		"fifo false seen 1 of 3 times in a row"}, log)
	w.Switched(start, "fifo")
	w.Agree = 1
	_, why := w.Decide(start+59_000, &Advice{To: "fair"})
	require.Equal(t, "the latest switch was 59 s ago", why)
}

// What a job has shown determines its durations, and the weaker the basis, the wider they spread.
func TestBases(t *testing.T) {
	s := &State{Now: start}
	j := Job{Tasks: [2]int32{4, 2}}
	basesOf := func() string {
		x := j.phases(s.Now, newPool(s))
		return x.maps.basis.String() + ", " + x.reduce.basis.String()
	}
	require.Equal(t, "assumed, assumed", basesOf())
	s.Jobs = []Job{{Seen: Seen{Map: five(100), Reduce: five(50)}}}
	require.Equal(t, "other jobs, other jobs", basesOf())
	j.Running = []Attempt{{Start: start - 1000, Progress: 250_000}}
	require.Equal(t, "progress, own maps", basesOf())
	require.Equal(t, []int64{4000}, j.phases(s.Now, newPool(s)).maps.values)
	j.Profile = "map=10/20,first=5/5,reduce=10/10"
	require.Equal(t, "profile, profile", basesOf())
	j.Seen = Seen{Map: five(7), Typical: five(3), Reduce: five(4)}
	require.Equal(t, "observed, observed", basesOf())
	x := j.phases(s.Now, newPool(s))
	require.Equal(t, "profile [5]", fmt.Sprint(x.first.basis, x.first.values))
	require.Equal(t, "observed [3 3 3 3 3]", fmt.Sprint(x.typical.basis, x.typical.values))
	j.Profile, j.Seen.Typical = "", nil
	x = j.phases(s.Now, newPool(s))
	require.Equal(t, []int64{0}, x.first.values)

	j.Name, j.User, j.Seen = "sort", "ann", Seen{}
	s.Jobs = []Job{{User: "ann", Name: "sort", Seen: Seen{Map: five(9), Typical: five(2), Reduce: five(6)}},
		{User: "bob", Name: "sort", Seen: Seen{Map: five(1), Reduce: five(1)}}}
	require.Equal(t, "same name, same name", basesOf())
	x = j.phases(s.Now, newPool(s))
	require.Equal(t, "[9 9 9 9 9] [2 2 2 2 2] [6 6 6 6 6]", fmt.Sprint(x.maps.values, x.first.values, x.reduce.values))
	s.Past, s.Jobs = []Past{{"ann", "sort", s.Jobs[0].Seen}}, s.Jobs[1:]
	require.Equal(t, "same name, same name", basesOf())
	j.Name, s.Past[0].Name = "", ""
	require.Equal(t, "progress, own maps", basesOf(), "hidden jobs have no names")

	q := quantiles(estimate.Phase{Avg: 1000, Max: 2000})
	sum := int64(0)
	for _, v := range q {
		sum += v
	}
	require.InDelta(t, 1000, float64(sum)/float64(len(q)), 2)
	require.Less(t, q[len(q)-2], int64(2000))
	u := (&phase{observed, []int64{10, 20, 30, 40, 50}}).urn(rand.New(rand.NewPCG(1, 1)))
	for range 100 {
		require.GreaterOrEqual(t, u.after(25, 0), int64(25))
		require.Greater(t, u.after(500, 0), int64(500))
		require.InDelta(t, 625, u.after(500, 800_000), 65)
	}
}

// A reduce that has sorted for a while ends after a duration that is not shorter.
func TestSortedReduce(t *testing.T) {
	s := busy(1)
	s.Jobs[0] = Job{ID: "job_1", User: "ann", Submit: start - 20_000, Start: start - 20_000, Tasks: [2]int32{1, 1},
		Done: [2]int32{1, 0}, MapsDone: start - 10_000,
		Seen:    Seen{First: five(2000), Reduce: []int64{100, 100, 100, 100, 7000}},
		Running: []Attempt{{Type: job.Reduce, Slot: job.Reduce, Start: start - 15_000, SortDone: start - 6000}}}
	require.NoError(t, s.check())
	f, err := Predict(t.Context(), s, Options{Schedulers: []string{"fifo"}})
	require.NoError(t, err)
	exact := 0
	for _, run := range f.Policies[0].Finish {
		require.Greater(t, run[0], int64(start))
		if run[0] == start+1000 {
			exact++
		}
	}
	require.Greater(t, exact, 15, "runs whose sample has the long duration")
}
