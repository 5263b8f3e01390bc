//go:build integration

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/howdah/howdah/integration/bench/measure"
	"github.com/howdah/howdah/internal/daemonrun"
)

// inputs are the files that the works read.
type inputs struct{ text, rows, small, trace string }

const (
	smallSize = 1024
	traceJobs = "2000"
	// smallJobs is the number of jobs in a run of small jobs. One job would be too short, because
	// the kernel counts the CPU time of a minicluster in steps of 10 ms.
	smallJobs = 20
)

// work is what both revisions run. A run consists of identical jobs, whose number is in the jobs
// field.
type work struct {
	name    string
	cluster bool
	jobs    int
	args    func(in *inputs, out string) []string
}

var works = []work{
	{"wordcount", false, 1, wordcount},
	{"terasort", false, 1, terasort},
	{"grep", false, 1, grep("rap[a-z]*rw")},         // one word in 1,400
	{"grep-nothing", false, 1, grep("ymb[a-z]*sc")}, // no match
	{"small", false, smallJobs, small},
	{"minicluster-wordcount", true, 1, wordcount},
	{"minicluster-terasort", true, 1, terasort},
	{"minicluster-grep", true, 1, grep("rap[a-z]*rw")},
	{"minicluster-small", true, smallJobs, small},
	{"simulator", false, 1, func(in *inputs, _ string) []string {
		return []string{"sim", "run", "--nodes", "100", "--scheduler", "fifo", "--json", in.trace}
	}},
}

func workNames() []string {
	var names []string
	for _, w := range works {
		names = append(names, w.name)
	}
	return names
}

func wordcount(in *inputs, out string) []string {
	return []string{"run", "-q", "wordcount", "-D", "mapreduce.job.reduces=2", in.text, out}
}

func terasort(in *inputs, out string) []string {
	return []string{"run", "-q", "terasort", "-D", "mapreduce.job.reduces=2", in.rows, out}
}

func small(in *inputs, out string) []string {
	return []string{"run", "-q", "wordcount", "-D", "mapreduce.job.reduces=1", in.small, out}
}

func grep(pattern string) func(*inputs, string) []string {
	return func(in *inputs, out string) []string { return []string{"run", "-q", "grep", in.text, out, pattern} }
}

// measure runs the work once and returns its cost. The CPU time includes that of the minicluster
// during the run.
func (w *work) measure(ctx context.Context, s *side, in *inputs) (measure.Cost, error) {
	var sum measure.Cost
	before, err := measure.ChildCPU()
	if err != nil {
		return sum, err
	}
	out := filepath.Join(s.dir, "bin", "out")
	for range w.jobs {
		cmd := exec.CommandContext(ctx, s.howdah(), w.args(in, out)...)
		cmd.Env = daemonrun.Environ()
		if w.cluster {
			cmd.Env = append(cmd.Env, "HOWDAH_CONF_DIR="+s.cluster.Conf)
		}
		c, _, err := measure.Run(cmd)
		if err != nil {
			return sum, err
		}
		sum.Wall, sum.CPU = sum.Wall+c.Wall, sum.CPU+c.CPU
		if err := os.RemoveAll(out); err != nil {
			return sum, err
		}
	}
	if w.cluster {
		after, err := measure.ChildCPU()
		if err != nil {
			return sum, err
		}
		sum.CPU += after - before
	}
	return sum, nil
}
