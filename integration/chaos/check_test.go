package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

func id(n int32) job.ID { return job.ID{Cluster: "1", Seq: n} }

// at returns a call that takes 10 ms and begins at the given second.
func at(second float64, e Event) *Event {
	e.Begin = time.Duration(second * float64(time.Second))
	e.End = e.Begin + 10*time.Millisecond
	return &e
}

func submit(second float64, key string, n int32) *Event {
	return at(second, Event{Op: Submit, Key: key, ID: id(n), Answer: Told})
}

// shown returns the status of job n with four maps and two reduces.
func shown(key string, n int32, s job.State, maps, reduces int32) *status.Job {
	j := &status.Job{ID: id(n), Name: key, State: s, Maps: status.Tasks{Total: 4, Done: maps,
		Progress: float32(maps) / 4}, Reduces: status.Tasks{Total: 2, Done: reduces, Progress: float32(reduces) / 2}}
	return j
}

func look(second float64, j *status.Job) *Event {
	return at(second, Event{Op: Status, ID: j.ID, Answer: Told, Jobs: []*status.Job{j}})
}

func list(second float64, jobs ...*status.Job) *Event {
	return at(second, Event{Op: List, Answer: Told, Jobs: jobs})
}

func gone(second float64, n int32) *Event {
	return at(second, Event{Op: Status, ID: id(n), Answer: NotFound})
}

func kill(second float64, n int32, a Answer) *Event {
	return at(second, Event{Op: Kill, ID: id(n), Answer: a})
}

func output(second float64, key string, f Files) *Event {
	return at(second, Event{Op: Output, Key: key, Answer: Told, Files: f})
}

var (
	running   = shown("a", 1, job.Running, 2, 0)
	reducing  = shown("a", 1, job.Running, 4, 1)
	succeeded = shown("a", 1, job.Succeeded, 4, 2)
	killed    = shown("a", 1, job.Killed, 2, 0)
	complete  = Files{Success: true, Parts: 2, Kept: true}
)

func versioned(j *status.Job, v uint64) *status.Job {
	c := *j
	c.Version = v
	return &c
}

// Each history either keeps all promises (want is "") or breaks the one that want names.
func TestCheck(t *testing.T) {
	lostOne := []Cut{{Down: 5 * time.Second, Up: 6 * time.Second, Jobs: []job.ID{id(1)}}}
	other := shown("b", 1, job.Running, 0, 0)
	for name, c := range map[string]struct {
		events []*Event
		cuts   []Cut
		want   string
	}{
		"a good life": {events: []*Event{submit(1, "a", 1), look(2, running), look(3, reducing), look(4, succeeded),
			output(5, "a", complete), list(6, succeeded), output(7, "a", complete)}},
		"repeated submission": {events: []*Event{at(1, Event{Op: Submit, Key: "a", Answer: Unknown}), submit(2, "a", 1),
			submit(3, "a", 1), look(4, succeeded)}},
		"two jobs": {events: []*Event{submit(1, "a", 1), submit(2, "a", 2), look(3, succeeded),
			look(3, shown("a", 2, job.Succeeded, 4, 2))}, want: "the submission a is 2 jobs: job_1_0001, job_1_0002"},
		"two jobs, one of which only the list shows": {events: []*Event{submit(1, "a", 1),
			list(3, succeeded, shown("a", 2, job.Succeeded, 4, 2))}, want: "the submission a is 2 jobs"},
		"one ID, two submissions": {events: []*Event{submit(1, "a", 1), submit(2, "b", 1), look(3, succeeded)},
			want: "job_1_0001 is the job of a and of b"},
		"forgotten": {events: []*Event{submit(1, "a", 1), look(2, succeeded), gone(3, 1)},
			want: "is forgotten"},
		"forgotten for a kill": {events: []*Event{submit(1, "a", 1), look(2, succeeded), kill(3, 1, NotFound)},
			want: "is forgotten"},
		"not listed":   {events: []*Event{submit(1, "a", 1), look(2, succeeded), list(3)}, want: "is not listed"},
		"not yet told": {events: []*Event{list(1.005), submit(1, "a", 1), look(2, succeeded)}},
		"back from the dead": {events: []*Event{submit(1, "a", 1), look(2, succeeded), look(3, reducing)},
			want: "the state went back"},
		"back to PREP": {events: []*Event{submit(1, "a", 1), look(2, running), look(3, shown("a", 1, job.Prep, 2, 0)),
			look(4, succeeded)}, want: "the state went back"},
		"late answers may be old": {events: []*Event{submit(1, "a", 1), look(2, succeeded), look(2.005, running)}},
		"two ends": {events: []*Event{submit(1, "a", 1), kill(1.5, 1, Told), look(2, succeeded),
			look(2.005, killed)}, want: "two ends"},
		"lost reduce": {events: []*Event{submit(1, "a", 1), look(2, reducing), look(3, running), look(4, succeeded)},
			want: "a finished reduce was undone"},
		"map runs again": {events: []*Event{submit(1, "a", 1), look(2, shown("a", 1, job.Running, 4, 1)),
			look(3, shown("a", 1, job.Running, 3, 1)), look(4, succeeded)}},
		"map runs again for nobody": {events: []*Event{submit(1, "a", 1), look(2, shown("a", 1, job.Running, 4, 2)),
			look(3, shown("a", 1, job.Running, 3, 2)), look(4, succeeded)}, want: "no reduce needs it"},
		"more tasks": {events: []*Event{submit(1, "a", 1), look(2, &status.Job{ID: id(1), Name: "a", State: job.Running}),
			look(3, succeeded)}, want: "the number of tasks changed"},
		"ended, and moving": {events: []*Event{submit(1, "a", 1), kill(1.5, 1, Told), look(2, killed),
			look(3, shown("a", 1, job.Killed, 3, 0))}, want: "the tasks of an ended job changed"},
		"old version": {events: []*Event{submit(1, "a", 1), look(2, versioned(running, 7)), look(3, versioned(running, 6)),
			look(4, succeeded)}, want: "the version went back"},
		"more done than there is": {events: []*Event{submit(1, "a", 1), look(2, shown("a", 1, job.Running, 5, 0)),
			look(3, succeeded)}, want: "impossible numbers"},
		"half a success": {events: []*Event{submit(1, "a", 1), look(2, shown("a", 1, job.Succeeded, 4, 1))},
			want: "a success without all tasks"},
		"failed": {events: []*Event{submit(1, "a", 1), look(2, shown("a", 1, job.Failed, 4, 1))}, want: "the job failed"},
		"killed": {events: []*Event{submit(1, "a", 1), kill(2, 1, Told), look(3, running), look(4, killed),
			output(5, "a", Files{})}},
		"killed after its end": {events: []*Event{submit(1, "a", 1), look(2, succeeded), kill(3, 1, Told),
			look(4, succeeded)}},
		"ended before the kill": {events: []*Event{submit(1, "a", 1), look(2, running), kill(3, 1, Told),
			look(4, succeeded)}},
		"kill forgotten": {events: []*Event{submit(1, "a", 1), kill(2, 1, Told), look(3, running), look(4, succeeded)},
			want: "the kill was confirmed, and the job ran on"},
		"kill refused": {events: []*Event{submit(1, "a", 1), kill(2, 1, Refused), look(3, running), look(4, succeeded)}},
		"kill unknown": {events: []*Event{submit(1, "a", 1), kill(2, 1, Unknown), look(3, running), look(4, killed)}},
		"killed by nobody": {events: []*Event{submit(1, "a", 1), look(3, running), kill(3.5, 1, Refused), look(4, killed)},
			want: "nobody killed it"},
		"killed with output": {events: []*Event{submit(1, "a", 1), kill(2, 1, Told), look(4, killed),
			output(5, "a", Files{Parts: 1})}, want: "KILLED was told"},
		"success before its output": {events: []*Event{submit(1, "a", 1), look(2, succeeded),
			output(3, "a", Files{Parts: 2, Wrong: ""})}, want: "the output is not complete"},
		"success with _temporary": {events: []*Event{submit(1, "a", 1), look(2, succeeded),
			output(3, "a", Files{Success: true, Parts: 2, Temporary: true})}, want: "the output is not complete"},
		"wrong output": {events: []*Event{submit(1, "a", 1), look(2, succeeded),
			output(3, "a", Files{Success: true, Parts: 2, Wrong: "part-r-00000 differs"})}, want: "part-r-00000 differs"},
		"output before the end": {events: []*Event{submit(1, "a", 1), output(2, "a", Files{Temporary: true}),
			look(3, succeeded)}},
		"no end": {events: []*Event{submit(1, "a", 1), look(2, running)}, want: "job_1_0001 did not end"},

		"cut": {events: []*Event{submit(1, "a", 1), look(2, reducing), gone(7, 1), list(8)}, cuts: lostOne},
		"cut, and forgotten before it": {events: []*Event{submit(1, "a", 1), look(2, reducing), gone(3, 1)}, cuts: lostOne,
			want: "is forgotten"},
		"cut, and forgotten meanwhile": {events: []*Event{submit(1, "a", 1), look(2, reducing), gone(5.5, 1)},
			cuts: lostOne},
		"cut of another job": {events: []*Event{submit(1, "b", 2), gone(7, 2)}, cuts: lostOne, want: "is forgotten"},
		"cut of a success": {events: []*Event{submit(1, "a", 1), look(2, succeeded), look(7, reducing), look(8, succeeded),
			output(9, "a", complete)}, cuts: lostOne},
		"cut of a success that fails then": {events: []*Event{submit(1, "a", 1), look(2, succeeded),
			output(3, "a", complete), look(7, reducing), look(8, shown("a", 1, job.Failed, 3, 2)),
			output(9, "a", complete)}, cuts: lostOne,
			want: "success was told at 2.01s, and later the job failed"},
		"cut of a success whose output is removed": {events: []*Event{submit(1, "a", 1), look(2, succeeded),
			output(3, "a", Files{Success: true, Parts: 2}), look(7, reducing),
			look(8, shown("a", 1, job.Failed, 3, 2))}, cuts: lostOne},
		"cut of a success, without its tasks": {events: []*Event{submit(1, "a", 1), look(2, succeeded),
			look(7, shown("a", 1, job.Succeeded, 3, 0)), output(9, "a", complete)}, cuts: lostOne},
		"cut, and failed": {events: []*Event{submit(1, "a", 1), look(2, running), look(7, running),
			look(8, shown("a", 1, job.Failed, 3, 0))}, cuts: lostOne},
		"cut of a success whose output goes": {events: []*Event{submit(1, "a", 1), look(2, succeeded), gone(7, 1),
			output(9, "a", Files{Success: true, Parts: 1, Wrong: "part-r-00001 is missing"})}, cuts: lostOne,
			want: "part-r-00001 is missing"},
		"the ID of a job that was cut": {events: []*Event{submit(1, "a", 1), submit(7, "b", 1), look(8, other),
			look(9, shown("b", 1, job.Succeeded, 4, 2))}, cuts: lostOne},
		"submitted again after a cut": {events: []*Event{submit(1, "a", 1), submit(7, "a", 2),
			look(8, shown("a", 2, job.Succeeded, 4, 2))}, cuts: lostOne},
		"versions after a cut": {events: []*Event{submit(1, "b", 2), look(2, versioned(shown("b", 2, job.Running, 1, 0), 9)),
			look(7, versioned(shown("b", 2, job.Running, 1, 0), 5)), look(8, shown("b", 2, job.Succeeded, 4, 2))},
			cuts: lostOne},
	} {
		h := NewHistory()
		for _, e := range c.events {
			h.Add(e)
		}
		for _, cut := range c.cuts {
			h.AddCut(cut)
		}
		found := h.Check(true)
		if c.want == "" {
			require.Empty(t, found, name)
			continue
		}
		require.NotEmpty(t, found, name)
		var all []string
		for _, v := range found {
			all = append(all, v.Text)
			require.NotEmpty(t, h.Of(v.ID, v.Key), name)
		}
		require.Contains(t, strings.Join(all, "\n"), c.want, name)
	}
}

// A run that is cut short has unfinished jobs, which is not a violation.
func TestUnfinished(t *testing.T) {
	h := NewHistory()
	h.Add(submit(1, "a", 1))
	h.Add(look(2, running))
	require.Empty(t, h.Check(false))
	require.Contains(t, h.Of(id(1), ""), "2s-2.01s  status job_1_0001: told job_1_0001 a RUNNING, maps 2/4")
}
