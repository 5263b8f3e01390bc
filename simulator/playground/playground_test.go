package playground

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// scene returns the request of a scene.
func scene(t *testing.T, id string) *Request {
	i := slices.IndexFunc(Scenes(), func(s Scene) bool { return s.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return &Scenes()[i].Request
}

func run(t *testing.T, r *Request) *Timeline {
	x, err := Run(t.Context(), r)
	require.NoError(t, err)
	return x
}

// The tutorial has a table for each scene. Each row is a run, and each cell is the end of a job.
func TestTutorial(t *testing.T) {
	doc, err := os.ReadFile("../../docs/tutorial-schedulers.md")
	require.NoError(t, err)
	for i, s := range Scenes() {
		require.Contains(t, string(doc), fmt.Sprintf("\n## %d. %s\n", i+1, s.Title))
		head, rule := "| policy |", "|---|"
		choices, set := s.Policies, func(r *Request, x string) { r.Policy = x }
		if s.ID == "pool" {
			head, choices, set = "| weights |", []string{"None", "EQ", "JD"}, func(r *Request, x string) { r.Weights = x }
		}
		var rows strings.Builder
		for _, c := range choices {
			r := s.Request
			set(&r, c)
			fmt.Fprintf(&rows, "| `%s` |", c)
			for _, j := range run(t, &r).Jobs {
				require.False(t, j.Failed)
				fmt.Fprintf(&rows, " %d s%s |", j.Finish/1000, map[bool]string{true: ", late"}[j.Missed])
			}
			rows.WriteByte('\n')
		}
		for _, j := range s.Request.Jobs {
			head, rule = head+" "+j.Name+" |", rule+"---|"
		}
		require.Contains(t, string(doc), head+"\n"+rule+"\n"+rows.String(), s.ID)
	}
}

// most returns the largest sum over jobs of the running tasks of a kind in slots of a kind.
func most(x *Timeline, slot, kind int) (n int32) {
	for i := range x.Slots[slot] {
		sum := int32(0)
		for k := range x.Jobs {
			sum += x.Jobs[k].Running[slot][kind][i]
		}
		n = max(n, sum)
	}
	return n
}

// What the tutorial says about each scene, apart from the ends of jobs.
func TestStatements(t *testing.T) {
	r := scene(t, "queue")
	x := run(t, r)
	r.Policy = "capacity"
	require.Equal(t, x.Jobs, run(t, r).Jobs, "capacity with a single queue serves it like fifo")

	r = scene(t, "borrow")
	x = run(t, r)
	require.Zero(t, slices.Max(x.Jobs[0].Running[1][1][:20]), "the reduce slots are idle for 20 s")
	require.Zero(t, most(x, 0, 1)+most(x, 1, 0), "fair lends no slots")
	for policy, want := range map[string][2]int32{"pi-dhfs": {10, 12}, "pd-dhfs": {12, 12}} {
		r.Policy = policy
		x = run(t, r)
		require.Equal(t, want, [2]int32{most(x, 0, 1), most(x, 1, 0)}, policy)
	}

	r = scene(t, "deadlines")
	r.Policy = "minedf"
	x = run(t, r)
	require.EqualValues(t, 13, slices.Max(x.Jobs[0].Running[0][0]), "of 20 map slots, minedf gives the backup 13")
	r.Policy, r.Jobs[1].Deadline = "maxedf", 115
	require.Zero(t, run(t, r).Missed, "with 30 s more, the billing is in time")

	r = scene(t, "capacity")
	x = run(t, r)
	require.EqualValues(t, 60, x.Slots[0][10])
	require.EqualValues(t, 80, x.Slots[0][50])
	require.EqualValues(t, 20, x.Slots[0][180])

	r = scene(t, "pool")
	x = run(t, r)
	for at, want := range map[int][2]int32{10: {2, 2}, 90: {10, 2}, 130: {12, 0}, 350: {6, 6}} {
		require.Equal(t, want, [2]int32{x.Clusters[0].Nodes[at], x.Clusters[1].Nodes[at]}, "after %d s", at)
	}
}

// A list over time never shows more tasks than slots, and the lists have equal lengths.
func TestTimelines(t *testing.T) {
	for _, s := range Scenes() {
		for _, policy := range policies() {
			r := s.Request
			r.Policy = policy
			x := run(t, &r)
			n := int(x.Makespan / x.Step)
			for slot, limit := range x.Slots {
				for i := range limit {
					used := int32(0)
					for k := range x.Jobs {
						used += x.Jobs[k].Running[slot][0][i] + x.Jobs[k].Running[slot][1][i]
					}
					require.LessOrEqual(t, used, int32(r.Nodes)*r.Slots[slot], "%s, %s, step %d", s.ID, policy, i)
				}
				if len(r.Clusters) == 0 {
					require.InDelta(t, n, len(limit), 2, "%s, %s", s.ID, policy)
				}
			}
			for _, g := range x.Groups {
				require.LessOrEqual(t, len(g.Fair[0]), len(x.Slots[0]))
				require.Equal(t, len(g.Fair[0]), len(g.Borrowed[1]))
			}
			for i := range r.Clusters {
				require.GreaterOrEqual(t, len(x.Clusters[i].Nodes), n)
			}
		}
	}
}

// A long run has at most maxSamples steps, and its tasks still add up.
func TestLongRuns(t *testing.T) {
	r := &Request{Policy: "fifo", Nodes: 1, Slots: [2]int32{2, 1}, Jobs: []Job{{Name: "x", Maps: 100, MapTime: 100}}}
	x := run(t, r)
	require.EqualValues(t, 5_000_000, x.Makespan)
	require.EqualValues(t, 8000, x.Step)
	require.InDelta(t, 5000/8, len(x.Slots[0]), 2)
	sum := int32(0)
	for _, n := range x.Jobs[0].Running[0][0] {
		sum += n
	}
	require.InDelta(t, 2*625, sum, 4)
}

func TestRejected(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"nodes":             func(r *Request) { r.Nodes = MaxNodes + 1 },
		"slots":             func(r *Request) { r.Slots[0] = -1 },
		"at least one":      func(r *Request) { r.Slots = [2]int32{} },
		"policy":            func(r *Request) { r.Policy = "drf" },
		"jobs: want":        func(r *Request) { r.Jobs = nil },
		"unique":            func(r *Request) { r.Jobs[1].Name = r.Jobs[0].Name },
		"maps":              func(r *Request) { r.Jobs[0].Maps = 0 },
		"task times":        func(r *Request) { r.Jobs[0].MapTime = 0 },
		"before":            func(r *Request) { r.Jobs[1].Deadline = r.Jobs[1].Submit },
		"at 0 s":            func(r *Request) { r.Jobs[0].Submit = 1 },
		"at most 20000":     func(r *Request) { r.Jobs[0].Maps, r.Jobs[1].Maps = MaxTasks, MaxTasks },
		"more than a day":   func(r *Request) { r.Jobs[0].Maps, r.Jobs[0].MapTime, r.Nodes = 5000, 3600, 1 },
		"levels":            func(r *Request) { r.Capacity, r.Period = []Level{{At: 1, Share: 1}}, 100 },
		"shares":            func(r *Request) { r.Capacity, r.Period = []Level{{Share: 2}}, 100 },
		"core nodes":        func(r *Request) { r.Clusters = []Cluster{{"a", 0}} },
		"not an MR-cluster": func(r *Request) { r.Clusters = []Cluster{{"a", 1}} },
	} {
		r := scene(t, "queue")
		change(r)
		_, err := Run(t.Context(), r)
		require.ErrorContains(t, err, name)
		require.True(t, failure.Is(err, failure.Usage), name)
	}
	r := scene(t, "pool")
	r.Clusters[0].Core = 11
	_, err := Run(t.Context(), r)
	require.ErrorContains(t, err, "need 13 nodes and share 12")
	r = scene(t, "pool")
	r.Weights = "x"
	_, err = Run(t.Context(), r)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}

func TestAnswer(t *testing.T) {
	ask := func(text string, into any) {
		require.NoError(t, json.Unmarshal(Answer(t.Context(), []byte(text)), into))
	}
	var first struct {
		Scenes            []Scene
		Policies, Weights []string
	}
	ask("", &first)
	require.Equal(t, Scenes(), first.Scenes)
	require.Contains(t, first.Policies, "minedf-wc")
	require.Contains(t, first.Weights, "TD")
	for text, want := range map[string]string{"{": "unexpected", `{"x":1}`: "unknown field", `{"nodes":0}`: "nodes",
		strings.Repeat(" ", MaxRequest+1): "bytes"} {
		var bad struct{ Error string }
		ask(text, &bad)
		require.Contains(t, bad.Error, want)
	}
	text, err := json.Marshal(scene(t, "queue"))
	require.NoError(t, err)
	var x Timeline
	ask(string(text), &x)
	require.Equal(t, run(t, scene(t, "queue")), &x)
}
