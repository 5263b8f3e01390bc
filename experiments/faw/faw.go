// Package faw has what the experiments of Fawkes share: the paper's applications and nodes as a model of disks, its workloads, and
// runs of them on a simulated pool.
package faw

import (
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// Paper names the paper.
const Paper = "Fawkes (SIGMETRICS 2014)"

// BibTeX cites it.
const BibTeX = `@inproceedings{ghit2014balanced,
  author    = {Bogdan Ghi\c{t} and Nezih Yigitbasi and Alexandru Iosup and Dick Epema},
  title     = {Balanced Resource Allocations Across Multiple Dynamic {MapReduce} Clusters},
  booktitle = {Proc. of ACM SIGMETRICS},
  year      = {2014}
}
`

// The testbed (section 5.1): six map and two reduce slots a node, blocks of 128 MB, three replicas.
const (
	Block       = 128 // MB
	Replication = 3
	Reference   = 10 // nodes of the static MR-cluster that slowdowns refer to (figure 2)
)

// Slots of a node.
var Slots = [2]int32{6, 2}

// Stage is one job of an application, for each block of its input.
type Stage struct {
	Input    float64 // GB at the size of Table 1
	CPU      float64 // s of a map
	Shuffled float64 // bytes to reduces by byte of input; 0 = map-only
	Output   float64 // bytes of output by byte of input
	Reduce   float64 // s of CPU of a reduce by GB of its input
}

// App is an application of Table 1: jobs one after the other.
type App struct {
	Name   string
	Stages []Stage
}

// The applications. Sizes are those of Table 1; CPU times are not in the paper and are chosen so that those that it calls compute-
// intensive are bound by CPU on core nodes, the others by disks.
var (
	WC = App{"WC", []Stage{{200, 30, 0.002, 0.00003, 5}}}
	ST = App{"ST", []Stage{{200, 4, 1, 1, 2}}}
	PR = App{"PR", []Stage{{50, 60, 0.02, 0.01, 20}, {50, 60, 0.02, 0.01, 20}, {50, 60, 0.02, 0.00003, 20}}}
	KM = App{"KM", []Stage{{70, 45, 0.0001, 0, 5}, {70, 45, 0.0001, 0, 5}, {70, 45, 0.0001, 0, 5}, {70, 4, 0, 1.03, 0}}}
	TT = App{"TT", []Stage{{100, 55, 0.005, 0.00004, 20}}}
	AH = App{"AH", []Stage{{100, 6, 1, 1, 4}, {100, 30, 0.01, 0.000001, 4}}}
)

// Apps lists them as figure 3 does.
var Apps = []App{WC, ST, PR, KM, TT, AH}

// Job makes a stage's job with so many GB of input, submitted at a time in ms. Its times are those on core nodes alone; Model.Task
// stretches them on others.
func (m Model) Job(id, app string, s Stage, gb float64, at int64) *trace.Job {
	split := max(1, m.Split)
	blocks := max(1, int(gb*1024/Block)) * split
	j := &trace.Job{ID: id, Name: app, User: app, Submit: at, State: job.Succeeded, Input: int64(gb * (1 << 30)), Output: int64(gb * s.Output * (1 << 30)),
		Shuffled: int64(gb * s.Shuffled * (1 << 30)), Maps: make([]trace.Map, blocks)}
	for i := range j.Maps {
		j.Maps[i].Time = ms(m.mapTime(s, Core(1)) / float64(split))
	}
	if s.Shuffled > 0 {
		j.Reduces = make([]trace.Reduce, split*max(1, int(gb*s.Shuffled))) // one for each GB
		q := gb * s.Shuffled * 1024 / float64(len(j.Reduces))
		for i := range j.Reduces {
			shuffle, rest := m.reduceTime(s, q, Core(1))
			j.Reduces[i] = trace.Reduce{First: true, Shuffle: ms(shuffle), Time: max(1, ms(rest))}
		}
	}
	return j
}

func ms(s float64) int64 { return int64(s * 1000) }

// String gives the name.
func (a App) String() string { return fmt.Sprint(a.Name) }

// Sized is the stage with another input, in GB.
func (s Stage) Sized(gb float64) Stage {
	s.Input = gb
	return s
}
