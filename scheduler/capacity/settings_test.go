package capacity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

func TestSettings(t *testing.T) {
	s := setup("prod, default",
		queuePrefix+"default.capacity", "33.3", queuePrefix+"default.user-limit-factor", "1.5",
		queuePrefix+"default.minimum-user-limit-percent", "20",
		queuePrefix+"default.maximum-initialized-active-tasks", "7",
		queuePrefix+"default.maximum-initialized-active-tasks-per-user", "6",
		queuePrefix+"default.init-accept-jobs-factor", "3",
		prioritiesKey, "true", systemJobsKey, "100", queuePrefix+"prod.supports-priority", "false")
	set, err := Read(s)
	require.NoError(t, err)
	require.Len(t, set.Queues, 2)
	require.Equal(t, Queue{Name: "default", Capacity: 333_000, Maximum: -1, Priorities: true, MinimumUserLimit: 20,
		UserLimitFactor: 1_500_000, ActiveTasks: 7, ActivePerUser: 6,
		AcceptFactor: 3}, set.Queues[0])
	require.EqualValues(t, 667_000, set.Queues[1].Capacity, "what is left")
	require.False(t, set.Queues[1].Priorities)
	require.EqualValues(t, 34, set.activeJobs(&set.Queues[0]))
	require.EqualValues(t, 7, set.activeJobsPerUser(&set.Queues[0]))
}

// Errors contain the file and the line.
func TestBadFiles(t *testing.T) {
	q := queuePrefix + "default."
	for _, x := range []struct {
		pairs []string
		line  int
		want  string
	}{
		{[]string{q + "capacity", "101"}, 2, "0 to 100"},
		{[]string{q + "capacity", "-5"}, 2, "0 to 100"},
		{[]string{q + "capacity", "half"}, 2, "0 to 100"},
		{[]string{q + "capacity", "NaN"}, 2, "0 to 100"},
		{[]string{q + "maximum-capacity", "120"}, 2, "-1 to 100"},
		{[]string{q + "capacity", "100", q + "maximum-capacity", "50"}, 3, "at least the queue's capacity"},
		{[]string{q + "capacity", "90"}, 2, "90%"},
		{[]string{q + "minimum-user-limit-percent", "0"}, 2, "1 to 100"},
		{[]string{q + "user-limit-factor", "-1"}, 2, "number"},
		{[]string{q + "supports-priority", "yes"}, 2, "true or false"},
		{[]string{systemJobsKey, "1", q + "init-accept-jobs-factor", "0"}, 3, "whole number"},
		{[]string{queuePrefix + "defalt.capacity", "100"}, 2, "did you mean default?"},
		{[]string{q + "capacty", "100"}, 2, "did you mean capacity?"},
		{[]string{queuePrefix + ".capacity", "100"}, 2, "a queue of"},
		{[]string{perBeatKey, "0"}, 2, "whole number"},
	} {
		_, err := New(setup("default", x.pairs...))
		require.True(t, failure.Is(err, failure.Config), "%v: %v", x.pairs, err)
		require.ErrorContains(t, err, fmt.Sprintf("/etc/capacity-scheduler.xml:%d", x.line), "%v", x.pairs)
		require.ErrorContains(t, err, x.want, "%v", x.pairs)
	}
	s := setup("default")
	s.Files[0].Data = []byte("<configuration>\n<property>\n<name>x</name></wrong>")
	_, err := New(s)
	require.ErrorContains(t, err, "/etc/capacity-scheduler.xml:3")
	_, err = New(setup("a,b,c", queuePrefix+"a.capacity", "60", queuePrefix+"b.capacity", "60"))
	require.ErrorContains(t, err, "read "+queuePrefix+
		"b.capacity=60 (/etc/capacity-scheduler.xml:3): the capacities add up "+
		"to 120%")
	s = setup("default")
	s.Conf.Set(multipleKey, "perhaps", "mapred-site.xml")
	_, err = New(s)
	require.ErrorContains(t, err, "mapred-site.xml")
	_, err = New(setup(","))
	require.ErrorContains(t, err, namesKey)
}

// The capacities may add up to a little less or more than 100%, because users round them. A queue
// with the capacity 0 gets nothing of the rest. The hard limit may equal the capacity, and 0 means
// that there is none.
func TestCapacitiesThatAreLegal(t *testing.T) {
	for _, x := range []struct {
		a, b, maximum string
		wantA, wantB  int64
		wantMax       int64
		want          string // part of the error
	}{
		{"50", "50.01", "50", 500_000, 500_100, 500_000, ""},
		{"50", "49.99", "0", 500_000, 499_900, -1, ""},
		{"50", "50.02", "-1", 0, 0, 0, "100.02%"},
		{"50", "49.98", "-1", 0, 0, 0, "99.98%"},
		{"0", "-1", "10", 0, 1_000_000, 100_000, ""},
		{"100.005", "-1", "-1", 0, 0, 0, "0 to 100"},
	} {
		pairs := []string{queuePrefix + "a.capacity", x.a, queuePrefix + "a.maximum-capacity", x.maximum}
		if x.b != "-1" {
			pairs = append(pairs, queuePrefix+"b.capacity", x.b)
		}
		set, err := Read(setup("a,b", pairs...))
		if x.want != "" {
			require.ErrorContains(t, err, x.want)
			continue
		}
		require.NoError(t, err, "%+v", x)
		require.Equal(t, []int64{x.wantA, x.wantB, x.wantMax},
			[]int64{set.Queues[0].Capacity, set.Queues[1].Capacity, set.Queues[0].Maximum}, "%+v", x)
	}
}

func TestAdmission(t *testing.T) {
	p := build(t, setup("default,other", queuePrefix+"default.capacity", "50"))
	for queue, kind := range map[string]failure.Kind{"default": failure.Unknown, "": failure.Unknown,
		"other": failure.Unknown, "nowhere": failure.Config} {
		err := p.Admit(nil, spec(queue, "ann", 1))
		require.Equal(t, kind, failure.KindOf(err), "%q: %v", queue, err)
	}
	bad := spec("default", "ann", 1)
	bad.Conf = []job.Property{{Name: waitFactorKey, Value: "far"}}
	require.ErrorContains(t, p.Admit(nil, bad), waitFactorKey)
}

func TestRoomForJobs(t *testing.T) {
	b := newBench(t, setup("default", systemJobsKey, "1", acceptFactorKey, "2", activeTasksKey, "10",
		activePerUserKey, "5"))
	refused := func(user string, maps int) string {
		o := b.try(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: spec("default", user, maps)})
		require.NotNil(t, o.Err)
		require.Equal(t, failure.Limit, o.Err.Kind)
		return o.Err.Error()
	}
	require.Contains(t, refused("u", 11), "10")
	require.Contains(t, refused("u", 6), "per-user")
	b.submit("default", "u", 1)
	b.submit("default", "u", 1)
	require.Contains(t, refused("v", 1), "number 3 in the queue")
}

// Reduces count toward the number of a job's tasks, too.
func TestRoomForReduces(t *testing.T) {
	p := build(t, setup("default", activeTasksKey, "10"))
	reduces := func(s *job.Spec) { s.Reduces = 4 }
	require.NoError(t, p.Admit(nil, spec("default", "u", 6, reduces)))
	require.ErrorContains(t, p.Admit(nil, spec("default", "u", 7, reduces)), "11 tasks")
}

// The number of a user's jobs in a queue is limited. Jobs that end make room.
func TestRoomForJobsOfAUser(t *testing.T) {
	b := newBench(t, setup("default", systemJobsKey, "2", acceptFactorKey, "2",
		queuePrefix+"default.minimum-user-limit-percent", "50"))
	full := func() {
		t.Helper()
		o := b.try(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: spec("default", "u", 1)})
		require.NotNil(t, o.Err)
		require.ErrorContains(t, o.Err, "number 3 of the user")
	}
	x := b.submit("default", "u", 1)
	b.submit("default", "u", 1)
	full()
	b.submit("default", "v", 1)
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: x})
	b.submit("default", "u", 1)
	full()
}

func FuzzFiles(f *testing.F) {
	f.Add([]byte(head + tail))
	f.Add(file(queuePrefix+"a.capacity", "60", queuePrefix+"b.capacity", "40", queuePrefix+"b.maximum-capacity", "50"))
	f.Add(file(queuePrefix+"a.capacity", "6", queuePrefix+"b.maximum-capacity", "50")) // b gets 94%
	f.Add(file(queuePrefix+"a.capacity", "1e309"))
	f.Add(file(systemJobsKey, "${"+systemJobsKey+"}"))
	f.Fuzz(func(t *testing.T, capacities []byte) {
		c := conf.New()
		c.Set(namesKey, "a,b", "test")
		set, err := Read(scheduler.Setup{Conf: c, Files: []scheduler.File{{Key: conf.CapacityFile.Name, Path: "c.xml",
			Data: capacities}}})
		if err != nil {
			if !failure.Is(err, failure.Config) {
				t.Fatalf("%v", err)
			}
			return
		}
		sum := int64(0)
		for _, q := range set.Queues {
			sum += q.Capacity
			if q.Capacity < 0 || q.Maximum >= 0 && q.Maximum < q.Capacity || q.MinimumUserLimit < 1 || q.UserLimitFactor <= 0 {
				t.Fatalf("%+v", q)
			}
		}
		if sum < 999_000 || sum > 1_001_000 {
			t.Fatalf("capacities add up to %d", sum)
		}
	})
}
