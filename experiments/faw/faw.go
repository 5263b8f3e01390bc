// Package faw reproduces the figures of Fawkes. The experiments share a model of the paper's
// applications and nodes, the paper's workloads, and a simulated pool. Some experiments also run on
// real nodes.
package faw

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// Paper is the short name of the paper.
const Paper = "Fawkes (SIGMETRICS 2014)"

// BibTeX is the BibTeX entry of the paper.
const BibTeX = `@inproceedings{ghit2014balanced,
  author    = {Bogdan Ghi\c{t} and Nezih Yigitbasi and Alexandru Iosup and Dick Epema},
  title     = {Balanced Resource Allocations Across Multiple Dynamic {MapReduce} Clusters},
  booktitle = {Proc. of ACM SIGMETRICS},
  year      = {2014}
}
`

// The testbed (section 5.1): six map and two reduce slots per node, blocks of 128 MB, three
// replicas.
const (
	Block       = 128 // MB
	Replication = 3
	Reference   = 10 // nodes of the static MR-cluster that is the reference for slowdowns (figure 2)
)

// Slots holds the numbers of map and reduce slots of a node.
var Slots = [2]int32{6, 2}

// Stage is one job of an application. It has a map for each block of its input.
type Stage struct {
	Input    float64 // GB at the size in Table 1
	CPU      float64 // CPU seconds of a map
	Shuffled float64 // bytes shuffled per byte of input; 0 means map-only
	Output   float64 // bytes of output per byte of input
	Reduce   float64 // CPU seconds of a reduce per GB of its input
}

// App is an application of Table 1. Its jobs run one after the other.
type App struct {
	Name   string
	Stages []Stage
}

// The applications, with the sizes from Table 1. The paper does not state CPU times. We chose
// values with which, on core nodes, the CPU is the bottleneck of the applications that the paper
// calls compute-intensive. Disks are the bottleneck of the others.
var (
	WC = App{"WC", []Stage{{200, 30, 0.002, 0.00003, 5}}}
	ST = App{"ST", []Stage{{200, 4, 1, 1, 2}}}
	PR = App{"PR", []Stage{{50, 60, 0.02, 0.01, 20}, {50, 60, 0.02, 0.01, 20}, {50, 60, 0.02, 0.00003, 20}}}
	KM = App{"KM", []Stage{{70, 45, 0.0001, 0, 5}, {70, 45, 0.0001, 0, 5}, {70, 45, 0.0001, 0, 5}, {70, 4, 0, 1.03, 0}}}
	TT = App{"TT", []Stage{{100, 55, 0.005, 0.00004, 20}}}
	AH = App{"AH", []Stage{{100, 6, 1, 1, 4}, {100, 30, 0.01, 0.000001, 4}}}
)

// Apps lists the applications in the order of figure 3.
var Apps = []App{WC, ST, PR, KM, TT, AH}

// Job returns a job that runs stage s on gb GB of input. app is the job's name, and at is its
// submission time in ms. The task times are those on an MR-cluster of core nodes only. Model.Task
// stretches them for other MR-clusters.
func (m Model) Job(id, app string, s Stage, gb float64, at int64) *trace.Job {
	split := max(1, m.Split)
	blocks := max(1, int(gb*1024/Block)) * split
	j := &trace.Job{ID: id, Name: app, User: app, Submit: at, State: job.Succeeded, Input: int64(gb * (1 << 30)),
		Output:   int64(gb * s.Output * (1 << 30)),
		Shuffled: int64(gb * s.Shuffled * (1 << 30)), Maps: make([]trace.Map, blocks)}
	for i := range j.Maps {
		j.Maps[i].Time = ms(m.mapTime(s, Core(1)) / float64(split))
	}
	if s.Shuffled > 0 {
		j.Reduces = make([]trace.Reduce, split*max(1, int(gb*s.Shuffled))) // one per GB
		q := gb * s.Shuffled * 1024 / float64(len(j.Reduces))
		for i := range j.Reduces {
			shuffle, rest := m.reduceTime(s, q, Core(1))
			j.Reduces[i] = trace.Reduce{First: true, Shuffle: ms(shuffle), Time: max(1, ms(rest))}
		}
	}
	return j
}

func ms(s float64) int64 { return int64(s * 1000) }

// Sized returns a copy of the stage whose input size is gb GB.
func (s Stage) Sized(gb float64) Stage {
	s.Input = gb
	return s
}
