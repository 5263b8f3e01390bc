// Package playground answers the page on which readers try schedulers. Run simulates the small
// cluster that a Request describes and returns what happened as a Timeline. Scenes returns requests
// to start from. The page runs this package as WebAssembly, or asks howdah-lab serve.
package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/trace"
)

// Request describes a cluster and its jobs. All times are in seconds since the start of the run.
type Request struct {
	Policy string   `json:"policy"` // name in scheduler/catalog
	Nodes  int      `json:"nodes"`  // 1 to MaxNodes
	Slots  [2]int32 `json:"slots"`  // of each node, for maps and reduces; 0 to MaxSlots
	Jobs   []Job    `json:"jobs"`   // 1 to MaxJobs
	// Capacity is f(t), the share of the slots that other users of the cluster leave. It repeats after
	// Period seconds. Empty means that all slots are always there.
	Capacity []Level `json:"capacity,omitempty"`
	Period   int64   `json:"period,omitempty"`
	// Clusters are MR-clusters that share the nodes. The group of each job is then the name of its
	// MR-cluster. Weights is the policy that moves nodes among them; see weight.Names.
	Clusters []Cluster `json:"clusters,omitempty"`
	Weights  string    `json:"weights,omitempty"`
}

// Job is a job whose tasks of a kind all take the same time. Its reduces start when its maps have ended.
type Job struct {
	Name       string `json:"name"`  // unique
	Group      string `json:"group"` // pool or MR-cluster; "" means the default pool
	Submit     int64  `json:"submit"`
	Maps       int    `json:"maps"`        // 1 or more
	MapTime    int64  `json:"map_time"`    // of each map, 1 to an hour
	Reduces    int    `json:"reduces"`     // 0 or more
	ReduceTime int64  `json:"reduce_time"` // of each reduce, including the shuffle
	Deadline   int64  `json:"deadline"`    // 0 means none
}

// Level is the share of slots, from 0 to 1, that is left from a time on until the next Level.
type Level struct {
	At    int64   `json:"at"`
	Share float64 `json:"share"`
}

// Cluster is an MR-cluster, with the number of nodes that it always keeps.
type Cluster struct {
	Name string `json:"name"`
	Core int    `json:"core"`
}

// Timeline is the outcome of a run. All times are in ms since the start. A list over time has a value
// for each Step, the first of which begins at 0.
type Timeline struct {
	Step     int64         `json:"step"`
	Makespan int64         `json:"makespan"` // end of the last job
	Missed   int           `json:"missed"`   // number of jobs that ended after their deadlines
	Jobs     []JobLine     `json:"jobs"`     // in the order of the request
	Slots    [2][]int32    `json:"slots"`    // of the cluster, by kind; nil with MR-clusters
	Groups   []GroupLine   `json:"groups,omitempty"`
	Clusters []ClusterLine `json:"clusters,omitempty"` // in the order of the request
}

// JobLine is what happened to a job.
type JobLine struct {
	Name     string `json:"name"`
	Submit   int64  `json:"submit"`
	Start    int64  `json:"start"` // of its first task
	MapsDone int64  `json:"maps_done"`
	Finish   int64  `json:"finish"`
	Deadline int64  `json:"deadline"` // 0 means none
	Missed   bool   `json:"missed"`
	Failed   bool   `json:"failed"` // for example, because the policy rejected it
	// Running is the number of running tasks over time, by kind of slot and then by kind of task. A
	// task in a slot of the other kind has borrowed it. The lists are nil with MR-clusters.
	Running [2][2][]int32 `json:"running"`
}

// GroupLine shows a pool or queue over time, by kind of task.
type GroupLine struct {
	Name     string     `json:"name"`
	Fair     [2][]int32 `json:"fair"` // slots to which the policy entitles it
	Running  [2][]int32 `json:"running"`
	Borrowed [2][]int32 `json:"borrowed"` // of Running, in slots of the other kind
}

// ClusterLine shows an MR-cluster over time.
type ClusterLine struct {
	Name    string    `json:"name"`
	Nodes   []int32   `json:"nodes"`
	Jobs    []int32   `json:"jobs"`    // that have not ended
	Running []int32   `json:"running"` // tasks
	Waiting []int32   `json:"waiting"` // tasks
	Weight  []float64 `json:"weight"`
}

// The largest request. The limits keep a run short enough for a page.
const (
	MaxNodes   = 100
	MaxSlots   = 50
	MaxJobs    = 40
	MaxTasks   = 20_000 // of all jobs
	MaxRequest = 64 << 10
	maxTask    = 3600
	maxTime    = 24 * 3600 // of a submission, a deadline, and all work on the slots
	maxLevels  = 200
)

func bad(on, format string, args ...any) error {
	return failure.New(failure.Usage, "simulate", on, fmt.Errorf(format, args...))
}

func (r *Request) validate() error {
	switch {
	case r.Nodes < 1 || r.Nodes > MaxNodes:
		return bad("nodes", "want 1 to %d", MaxNodes)
	case min(r.Slots[0], r.Slots[1]) < 0 || max(r.Slots[0], r.Slots[1]) > MaxSlots || r.Slots[0]+r.Slots[1] == 0:
		return bad("slots", "want 0 to %d of each kind on a node, and at least one", MaxSlots)
	case len(r.Jobs) < 1 || len(r.Jobs) > MaxJobs:
		return bad("jobs", "want 1 to %d", MaxJobs)
	}
	if err := r.validateJobs(); err != nil {
		return err
	}
	if err := r.validateCapacity(); err != nil {
		return err
	}
	return r.validateClusters()
}

func (r *Request) validateJobs() error {
	names, tasks, work, first := map[string]bool{}, 0, [2]int64{}, int64(maxTime)
	for i := range r.Jobs {
		j := &r.Jobs[i]
		switch {
		case j.Name == "" || len(j.Name) > 64 || len(j.Group) > 64 || names[j.Name]:
			return bad("job "+j.Name, "want unique names of 1 to 64 characters")
		case j.Maps < 1 || j.Reduces < 0 || max(j.Maps, j.Reduces) > MaxTasks:
			return bad(j.Name, "want 1 to %d maps and 0 to %d reduces", MaxTasks, MaxTasks)
		case j.MapTime < 1 || j.MapTime > maxTask || j.Reduces > 0 && (j.ReduceTime < 1 || j.ReduceTime > maxTask):
			return bad(j.Name, "want task times of 1 to %d s", maxTask)
		case j.Submit < 0 || j.Submit > maxTime || j.Deadline < 0 || j.Deadline > maxTime:
			return bad(j.Name, "want a submission and a deadline of 0 to %d s", maxTime)
		case j.Deadline > 0 && j.Deadline <= j.Submit:
			return bad(j.Name, "its deadline is before its submission")
		}
		names[j.Name] = true
		first = min(first, j.Submit)
		tasks += j.Maps + j.Reduces
		work[0] += int64(j.Maps) * j.MapTime
		work[1] += int64(j.Reduces) * j.ReduceTime
	}
	if first > 0 {
		return bad("jobs", "the first job must be submitted at 0 s")
	}
	if tasks > MaxTasks {
		return bad("jobs", "%s: want at most %d", plural.Of(tasks, "task"), MaxTasks)
	}
	for k, s := range r.Slots {
		slots := max(1, int64(s)*int64(r.Nodes))
		if len(r.Clusters) > 0 {
			slots = max(1, int64(s)) // an MR-cluster may have only one node
		}
		if work[k]/slots > maxTime {
			return bad("jobs", "they take more than a day on this cluster")
		}
	}
	return nil
}

func (r *Request) validateCapacity() error {
	if len(r.Capacity) == 0 {
		return nil
	}
	if len(r.Capacity) > maxLevels || r.Period < 60 || r.Period > maxTime || r.Capacity[0].At != 0 {
		return bad("capacity", "want at most %d levels from 0 s on, and a period of 60 to %d s", maxLevels, maxTime)
	}
	for i, l := range r.Capacity {
		if l.Share < 0.05 || l.Share > 1 || l.At >= r.Period || i > 0 && l.At < r.Capacity[i-1].At+2 {
			return bad("capacity", "want shares of 0.05 to 1, at ascending times that are 2 s or more apart")
		}
	}
	return nil
}

func (r *Request) validateClusters() error {
	core, names := 0, map[string]bool{}
	for _, c := range r.Clusters {
		if c.Name == "" || names[c.Name] || c.Core < 1 || c.Core > r.Nodes {
			return bad("MR-clusters", "want unique names and 1 or more core nodes")
		}
		names[c.Name] = true
		core += c.Core
	}
	if core > r.Nodes {
		return bad("MR-clusters", "they need %d nodes and share %d", core, r.Nodes)
	}
	for i := range r.Jobs {
		if len(names) > 0 && !names[r.Jobs[i].Group] {
			return bad(r.Jobs[i].Name, "%q is not an MR-cluster", r.Jobs[i].Group)
		}
	}
	return nil
}

// Run simulates a request. It returns an error of kind Usage if a value is out of range, and of kind
// Config if the policy or the weights do not exist.
func Run(ctx context.Context, r *Request) (*Timeline, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if len(r.Clusters) > 0 {
		return r.runPool(ctx)
	}
	return r.runCluster(ctx)
}

// take fills in the outcome of the jobs, in the order of the request, and completes the totals.
func (t *Timeline) take(r *Request, results []trace.JobResult) {
	for i := range r.Jobs {
		k := slices.IndexFunc(results, func(x trace.JobResult) bool { return x.ID == r.Jobs[i].Name })
		line := &t.Jobs[i]
		line.Name, line.Submit, line.Deadline = r.Jobs[i].Name, 1000*r.Jobs[i].Submit, 1000*r.Jobs[i].Deadline
		if k < 0 {
			line.Failed = true
			continue
		}
		x := &results[k]
		line.Start, line.MapsDone, line.Finish, line.Failed = x.Start, x.MapsDone, x.Finish, x.Failed
		if line.Missed = x.Missed(); line.Missed {
			t.Missed++
		}
		t.Makespan = max(t.Makespan, x.Finish)
	}
}

// Answer decodes a request and returns its timeline as JSON. If there is an error, the JSON is an
// object with its text as "error". An empty request returns what a page needs to begin: the scenes
// and the names of policies and weights.
func Answer(ctx context.Context, request []byte) []byte {
	v, err := answer(ctx, request)
	if err == nil {
		var out []byte
		if out, err = json.Marshal(v); err == nil {
			return out
		}
	}
	out, _ := json.Marshal(struct { // cannot fail
		Error string `json:"error"`
	}{err.Error()})
	return out
}

func answer(ctx context.Context, request []byte) (any, error) {
	if len(request) == 0 {
		return struct {
			Scenes   []Scene  `json:"scenes"`
			Policies []string `json:"policies"`
			Weights  []string `json:"weights"`
		}{Scenes(), policies(), weight.Names()}, nil
	}
	if len(request) > MaxRequest { // also the server's limit
		return nil, bad("request", "want at most %d bytes", MaxRequest)
	}
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	r := &Request{}
	if err := d.Decode(r); err != nil {
		return nil, failure.New(failure.Usage, "read request", "", err)
	}
	return Run(ctx, r)
}

// policies returns the names of the policies that assign slots. The others place tasks by memory,
// which a Request does not describe.
func policies() []string {
	table := catalog.Builtin()
	return slices.DeleteFunc(table.Names(), func(name string) bool {
		p, _, err := table.Make(name, scheduler.Setup{Conf: conf.New()})
		return err != nil || scheduler.UsesContainers(p)
	})
}
