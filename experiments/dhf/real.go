package dhf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
)

// bed is a cluster on this machine that runs the paper's programs on real files.
type bed struct {
	trackers int
	slots    [2]int32
	vcores   int // each task gets at most 1/vcores of this machine's CPU time; 0 = no limit
	block    int // bytes that stand for a block of 64 MB; other blocks are scaled alike
	files    int // distinct files of each size, which the maps share
}

// small is the bed of jobs that are a ninth of the paper's. Its slots are those of one of the paper's
// nine slaves. Like a slot of the paper's slaves, which have a core per slot, a slot has a share of the
// CPU of its own, so that tasks do not slow each other down.
var small = bed{trackers: 2, slots: [2]int32{5, 1}, vcores: 40, block: 4 << 20, files: 6}

// ninth returns w with a ninth of its tasks, rounded up. The numbers of waves on the slots of small are
// those of w on the paper's testbed.
func ninth(w Work) Work {
	w.Maps, w.Reduces = (w.Maps+Trackers-1)/Trackers, (w.Reduces+Trackers-1)/Trackers
	return w
}

// pattern is the regular expression that grep looks for. About 1% of the words match it.
const pattern = "word9[0-9]*9"

// knobs records the choices that the bed makes.
func (b *bed) knobs(r *lab.Run) {
	r.Knob("programs", "howdah's wordcount, sort (by the whole line), and the first job of grep (for "+pattern+
		"), without sleeps")
	r.Knob("input", fmt.Sprintf("random words drawn from 131072 by Zipf's law with s = 1.1, from the seed, in files of "+
		"one block each; %d distinct files of each size", b.files))
	r.Knob("block", fmt.Sprintf("%d MB for the paper's 64 MB, and proportionally more for larger blocks", b.block>>20))
	limit := "no CPU limit"
	if b.vcores > 0 {
		limit = fmt.Sprintf("each task limited to 1/%d of this machine's CPU time (the paper's slaves have a core per slot)",
			b.vcores)
	}
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with %d+%d slots, %s", b.trackers, b.slots[0], b.slots[1], limit))
}

// total returns the cluster's numbers of slots.
func (b *bed) total() [2]int32 { return Cluster{Trackers: b.trackers, Slots: b.slots}.Total() }

// write creates the input of the given jobs in a new directory, in a folder for each job. The caller
// must remove the directory.
func (b *bed) write(r *lab.Run, works ...Work) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "howdah-dhf-"); err != nil {
		return "", err
	}
	for i := range works {
		if err := b.link(r, dir, &works[i]); err != nil {
			os.RemoveAll(dir)
			return "", err
		}
	}
	return dir, nil
}

// link creates the folder of a job with a file for each map. The files are hard links.
func (b *bed) link(r *lab.Run, dir string, w *Work) error {
	to := filepath.Join(dir, w.Name)
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	for m := range w.Maps {
		n := m % b.files
		from := filepath.Join(dir, fmt.Sprintf("text-%d-%d", w.BlockMB, n))
		if _, err := os.Stat(from); err != nil {
			text := lab.Text(rand.New(rand.NewPCG(r.Seed, uint64(n))), b.block*w.BlockMB/64)
			if err := os.WriteFile(from, text, 0o644); err != nil {
				return err
			}
		}
		if err := os.Link(from, filepath.Join(to, fmt.Sprintf("part-%05d", m))); err != nil {
			return err
		}
	}
	return nil
}

// run starts a cluster with the policy, runs all jobs at the same time, and returns their states. dir
// contains the input.
func (b *bed) run(ctx context.Context, r *lab.Run, dir string, p lab.Policy, works ...Work) ([]*lab.Job, error) {
	set := append([]string{conf.JobTrackerTaskScheduler.Name + "=" + p.Name,
		"howdah.jobtracker.heartbeat.interval.min=300", "mapreduce.map.speculative=false",
		"mapreduce.reduce.speculative=false"}, p.Settings()...)
	if b.vcores > 0 {
		tree, remove, err := lab.OpenGroups("")
		if err != nil {
			return nil, err
		}
		defer remove()
		set = append(set, conf.TaskTrackerCGroups.Name+"=required", conf.TaskTrackerCGroupsStrictCPU.Name+"=true",
			conf.TaskTrackerCGroupsHierarchy.Name+"="+tree.Path(), fmt.Sprintf("howdah.tasktracker.vcores=%d", b.vcores))
	}
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: b.trackers, Slots: b.slots, Set: set})
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	jobs, errs := make([]*lab.Job, len(works)), make([]error, len(works))
	var all sync.WaitGroup
	for i := range works {
		all.Go(func() { jobs[i], errs[i] = runProgram(ctx, c, dir, &works[i]) })
	}
	all.Wait()
	return jobs, errors.Join(errs...)
}

// runProgram runs a job's program and returns the state of the program's first job. A second job of
// grep sorts the few results.
func runProgram(ctx context.Context, c *lab.Cluster, dir string, w *Work) (*lab.Job, error) {
	in, out := filepath.Join(dir, w.Name), filepath.Join(dir, "out-"+w.Name)
	defer os.RemoveAll(out)
	args := []string{"run", "--json", w.Benchmark, "-D", conf.FairSchedulerPool.Name + "=" + w.Pool,
		"-D", fmt.Sprintf("mapreduce.job.reduce.slowstart.completedmaps=%g", w.SlowStart),
		"-D", fmt.Sprintf("%s=%d", conf.JobReduces.Name, w.Reduces), in, out}
	if w.Benchmark == "grep" {
		args = append(args, pattern)
	}
	text, err := c.Howdah(ctx, args...)
	if err != nil {
		return nil, err
	}
	var first lab.Job
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); err != nil {
		return nil, err
	}
	j, err := c.Status(ctx, first.ID)
	if err == nil && j.State != job.Succeeded.String() {
		err = fmt.Errorf("%s %s: %s", j.ID, j.State, j.Diagnostic)
	}
	return j, err
}

// repeat runs the jobs n times under each policy. Each repetition starts with a different policy. The
// results are ordered by policy and repetition.
func (b *bed) repeat(ctx context.Context, r *lab.Run, dir string, policies []lab.Policy, n int, works ...Work) (
	[][][]*lab.Job, error) {
	out := make([][][]*lab.Job, len(policies))
	for i := range n {
		for k := range policies {
			p := (i + k) % len(policies)
			jobs, err := b.run(ctx, r, dir, policies[p], works...)
			if err != nil {
				return nil, err
			}
			out[p] = append(out[p], jobs)
		}
	}
	return out, nil
}

// timesOf returns the makespans of the runs.
func timesOf(runs [][][]*lab.Job) Times {
	t := make(Times, len(runs))
	for p := range runs {
		for _, jobs := range runs[p] {
			t[p] = append(t[p], span(jobs...))
		}
	}
	return t
}

// span returns the time from the start of the jobs' first attempt to the end of their last, in ms.
func span(jobs ...*lab.Job) float64 {
	first, last := int64(math.MaxInt64), int64(0)
	for _, j := range jobs {
		for i := range j.Attempts {
			first, last = min(first, j.Attempts[i].Start), max(last, j.Attempts[i].Finish)
		}
	}
	return float64(last - first)
}

// taskTimes returns the mean times of a job's maps and of its reduces, in ms. As in the paper, a reduce
// consists of shuffle, sort, and reduce.
func taskTimes(j *lab.Job) (mean [2]float64) {
	var n [2]float64
	for i := range j.Attempts {
		a := &j.Attempts[i]
		if a.State != job.AttemptSucceeded.String() {
			continue
		}
		k := typeOf(a)
		mean[k] += float64(a.Finish - a.Start)
		n[k]++
	}
	return [2]float64{mean[0] / n[0], mean[1] / n[1]}
}

func typeOf(a *lab.Attempt) job.TaskType {
	if a.Type == job.Reduce.String() {
		return job.Reduce
	}
	return job.Map
}

// borrowed counts the attempts that used slots of the other kind.
func borrowed(j *lab.Job) (n int) {
	for i := range j.Attempts {
		if a := &j.Attempts[i]; a.Slot == job.Map.String() || a.Slot == job.Reduce.String() {
			n++
		}
	}
	return n
}
