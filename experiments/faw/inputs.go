package faw

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Tenth is the factor by which a pool of slow nodes that run real applications is smaller than the
// testbed. One map of such an application replaces blocksPerMap maps of the testbed, because a slow
// node has one map slot.
const (
	Tenth        = 10
	blocksPerMap = 8
	appTextMB    = 64 // that a map reads
)

// wholeFiles makes each map read a whole file of its input.
const wholeFiles = "mapreduce.input.fileinputformat.split.minsize=1000000000"

// Inputs holds the inputs of real applications, which all nodes read from the local disk. It is not
// safe for concurrent use.
type Inputs struct {
	dir  string
	made map[string]bool
}

// NewInputs returns inputs in a temporary directory. Runs create them when they need them.
func NewInputs() (*Inputs, error) {
	dir, err := os.MkdirTemp("", "howdah-inputs-")
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "create directory of inputs", "", err)
	}
	return &Inputs{dir: dir, made: map[string]bool{}}, nil
}

// Close removes the inputs.
func (x *Inputs) Close() { os.RemoveAll(x.dir) }

// appKnobs records choices about a run of real applications that the paper leaves open.
func (x Real) appKnobs(r *lab.Run) {
	r.Knob("real applications: nodes", fmt.Sprintf("%d network namespaces, each with %g of a core and 1 + 1 slots, and "+
		"MR-clusters with 1 core node", SiteNodes, siteCores))
	r.Knob("real applications: jobs", fmt.Sprintf("1/%d of the small jobs and 1/%d of the other jobs' tasks; one map, of "+
		"%d MB of text, replaces %d of the testbed's maps; a job has 2 reduces", Tenth, Tenth, appTextMB, blocksPerMap))
	r.Knob("real applications: storage", "all nodes read input from, and write output to, this machine's disk, without "+
		"HDFS")
	r.Knob("real applications: repetitions", fmt.Sprintf("%d, one after the other; times are multiplied by %d", RealRuns,
		x.Speed))
}

// work returns the WordCount that stands for job j.
func (x *Inputs) work(j *trace.Job) (name string, w Work) {
	maps := max(1, len(j.Maps)/blocksPerMap)
	name = fmt.Sprintf("%s-%d", j.Name, maps)
	return name, counting(maps, appTextMB, "file:"+filepath.Join(x.dir, name))
}

// prepare creates the inputs that do not exist yet.
func (x *Inputs) prepare(ctx context.Context, on *lab.Pool, work []fawkes.Workload) error {
	for _, w := range work {
		for _, j := range w.Jobs {
			name, app := x.work(j)
			if x.made[name] {
				continue
			}
			if _, err := on.Howdah(ctx, append([]string{"run", "-q"}, app.Input...)...); err != nil {
				return err
			}
			x.made[name] = true
		}
	}
	return nil
}

// command returns the arguments of the command that runs job j. The job writes to a directory of its
// own.
func (x *Inputs) command(on *lab.Pool, j *trace.Job) []string {
	_, w := x.work(j)
	last := len(w.Run) - 1
	return append(w.Run[:last:last], "file:"+filepath.Join(on.Dir, "output", j.ID))
}
