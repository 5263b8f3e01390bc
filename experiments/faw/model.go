package faw

import (
	"cmp"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Model computes the times of tasks that share the disks of their nodes. A task computes and then
// moves its bytes at disk speed. A wave of tasks on all slots takes at least as long as the disks
// need to move its bytes. Input comes from the disks of core nodes. Output, with all its replicas, is
// written to the disks of nodes that may store it. Shuffled data stays on the node.
type Model struct {
	Disk float64 // disk speed of a node in MB/s
	// WAN is the bandwidth in MB/s between two physical clusters, between which the nodes are
	// divided evenly. 0 means a single physical cluster.
	WAN float64
	// InputEverywhere makes the model assume that transient-core nodes also store input, which is
	// the worst case in section 6.4.
	InputEverywhere bool
	// Sigma is the standard deviation of the logarithm of task times within a job.
	Sigma float64
	// Repeat is the number of times that a job runs when its time alone is measured. Each run has
	// different task times. 0 means one run.
	Repeat int
	// Workers is the maximum number of simultaneous runs of a job; 0 means 1.
	Workers int
	// Split is the number of smaller tasks into which every task is divided, to show the effect of
	// waves; 0 means 1.
	Split int
	// FreeMoves makes the model assume that moving data away from a node does not slow down other
	// nodes' tasks.
	FreeMoves bool
	// Replicas is the number of replicas of the output for which a task waits; 0 means Replication.
	Replicas int
	// Apps contains the stage that each job runs, by the job's name. See With.
	Apps map[string]Stage
}

// Sigma is the default of Model.Sigma. It is based on the public traces of real clusters in Rumen and
// Gridmix. Over the 46 map and reduce phases of their jobs with ten or more tasks, the
// median of sigma is 0.19, and its quartiles are 0.14 and 0.23.
const Sigma = 0.2

// DAS4 returns the testbed, whose nodes have two disks in RAID 0.
func DAS4() Model { return Model{Disk: 150, Sigma: Sigma, Repeat: 5, Apps: map[string]Stage{}} }

// Core returns an MR-cluster of core nodes only.
func Core(n int) fawkes.Composition { return fawkes.Composition{Core: n} }

// disk returns the part of a node's disk speed that tasks can use, in MB/s. Moving data off departing
// nodes (Move) uses up to half of the disk speed.
func (m Model) disk(c fawkes.Composition) float64 {
	if m.FreeMoves {
		return m.Disk
	}
	staying := max(1, c.Core+c.TransientCore-c.Leaving)
	return m.Disk - m.Disk/2*min(1, float64(c.Leaving)/float64(staying))
}

// spread returns the number of nodes that run tasks per node that serves input, and per node that
// stores output. Departing nodes do not run tasks or receive output, but they serve their data
// until other nodes have it.
func (m Model) spread(c fawkes.Composition) (input, output float64) {
	work, serve := float64(max(1, c.Nodes()-c.Leaving)), c.Core
	if m.InputEverywhere {
		serve += c.TransientCore
	}
	return work / float64(max(1, serve)), work / float64(max(1, c.Core+c.TransientCore-c.Leaving))
}

// mapTime returns the time of a map of one block, in s.
func (m Model) mapTime(s Stage, c fawkes.Composition) float64 {
	in, out := m.spread(c)
	disk := m.disk(c)
	written := 0.0 // output of a map-only job to HDFS
	if s.Shuffled == 0 {
		written = s.Output * m.replicas()
	}
	alone := s.CPU + Block*(1+s.Shuffled+s.Output*bit(s.Shuffled == 0))/disk
	wave := float64(Slots[job.Map]) * Block * (in + s.Shuffled + written*out) / disk
	return max(alone, wave, m.wan(c, Slots[job.Map], Block*written/2))
}

// reduceTime returns the times, in s, that the shuffle and the rest of a reduce take if the reduce
// has q MB of input.
func (m Model) reduceTime(s Stage, q float64, c fawkes.Composition) (shuffle, rest float64) {
	_, out := m.spread(c)
	disk := m.disk(c)
	wave := float64(Slots[job.Reduce])
	ratio := 0.0 // output of the reduces per byte of their input
	if s.Shuffled > 0 {
		ratio = s.Output / s.Shuffled
	}
	shuffle = max(wave*q/disk, m.wan(c, Slots[job.Reduce], q/2))
	alone := q/1024*s.Reduce + q*ratio/disk
	rest = max(alone, wave*q*ratio*m.replicas()*out/disk, m.wan(c, Slots[job.Reduce], q*ratio/2))
	return shuffle, rest
}

func (m Model) replicas() float64 { return float64(cmp.Or(m.Replicas, Replication)) }

// wan returns the time, in s, that it takes to move mb MB of each task's data between the physical
// clusters. The tasks on all nodes move their data at the same time.
func (m Model) wan(c fawkes.Composition, slots int32, mb float64) float64 {
	if m.WAN == 0 {
		return 0
	}
	return mb * float64(slots) * float64(c.Nodes()) / m.WAN
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Task adjusts a task's times, in ms, to the composition of its MR-cluster. It does not change the
// times of a job that is not in Apps.
func (m Model) Task(c fawkes.Composition, j *trace.Job, t job.TaskType, shuffle, rest int64) (int64, int64) {
	s, ok := m.Apps[j.Name]
	if !ok || c.Nodes() == 0 {
		return shuffle, rest
	}
	if t == job.Map {
		return 0, stretch(rest, m.mapTime(s, Core(1)), m.mapTime(s, c))
	}
	q := float64(j.Shuffled) / (1 << 20) / float64(max(1, len(j.Reduces)))
	was, wasRest := m.reduceTime(s, q, Core(1))
	is, isRest := m.reduceTime(s, q, c)
	return stretch(shuffle, was, is), stretch(rest, wasRest, isRest)
}

func stretch(ms int64, was, is float64) int64 {
	if was <= 0 {
		return ms
	}
	return max(1, int64(float64(ms)*is/was))
}
