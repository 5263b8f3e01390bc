package faw

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Model says how long tasks take on nodes whose disks they share. A task computes and then moves its bytes at the speed of a disk,
// and a wave of tasks on all slots takes at least as long as its bytes take on the disks that must move them: input comes from the
// disks of core nodes, output goes (with all replicas) to those of the nodes that may store it, what is shuffled lies on the node.
type Model struct {
	Disk float64 // MB/s of a node
	// WAN is the MB/s between two physical clusters over which the nodes are spread evenly; 0 = there is one cluster.
	WAN float64
	// InputEverywhere is a world in which input lies on transient-core nodes too: the worst case that section 6.4 assumes.
	InputEverywhere bool
	// Sigma is the standard deviation of the logarithm of task times within a job.
	Sigma float64
	// Repeat is how often a job that is measured alone runs, each time with other task times; 0 = once.
	Repeat int
	// Split divides every task into so many smaller ones, to see what comes of waves; 0 = 1.
	Split int
	// FreeMoves is a world in which data that is moved away from a node costs the tasks of others nothing.
	FreeMoves bool
	// Apps are the stages by the name of the job.
	Apps map[string]Stage
}

// Sigma of the logarithm of task times: in the public traces of real clusters that come with Rumen and Gridmix its median is 0.19 over
// the 46 maps and reduces of jobs that have ten or more tasks, its quartiles 0.14 and 0.23.
const Sigma = 0.2

// DAS4 is the testbed: two disks in RAID 0.
func DAS4() Model { return Model{Disk: 150, Sigma: Sigma, Repeat: 5, Apps: map[string]Stage{}} }

// Core is an MR-cluster of core nodes alone.
func Core(n int) fawkes.Composition { return fawkes.Composition{Core: n} }

// disk is what tasks have of a node's disk: what is moved there from nodes that leave (Move) takes up to half of it.
func (m Model) disk(c fawkes.Composition) float64 {
	if m.FreeMoves {
		return m.Disk
	}
	staying := max(1, c.Core+c.TransientCore-c.Leaving)
	return m.Disk - m.Disk/2*min(1, float64(c.Leaving)/float64(staying))
}

// spread is how many nodes run tasks for each that serves input, and for each that stores output. Nodes that leave run none and get no
// output, but serve what they have until it is elsewhere.
func (m Model) spread(c fawkes.Composition) (input, output float64) {
	work, serve := float64(max(1, c.Nodes()-c.Leaving)), c.Core
	if m.InputEverywhere {
		serve += c.TransientCore
	}
	return work / float64(max(1, serve)), work / float64(max(1, c.Core+c.TransientCore-c.Leaving))
}

// mapTime is how long a map takes, in s.
func (m Model) mapTime(s Stage, c fawkes.Composition) float64 {
	in, out := m.spread(c)
	disk := m.disk(c)
	written := 0.0 // to HDFS, by a map-only job
	if s.Shuffled == 0 {
		written = s.Output * Replication
	}
	alone := s.CPU + Block*(1+s.Shuffled+s.Output*bit(s.Shuffled == 0))/disk
	wave := float64(Slots[job.Map]) * Block * (in + s.Shuffled + written*out) / disk
	return max(alone, wave, m.wan(c, Slots[job.Map], Block*written/2))
}

// reduceTime gives the shuffle and the rest of a reduce with q MB of input, in s.
func (m Model) reduceTime(s Stage, q float64, c fawkes.Composition) (shuffle, rest float64) {
	_, out := m.spread(c)
	disk := m.disk(c)
	wave := float64(Slots[job.Reduce])
	ratio := 0.0 // output by input of the reduces
	if s.Shuffled > 0 {
		ratio = s.Output / s.Shuffled
	}
	shuffle = max(wave*q/disk, m.wan(c, Slots[job.Reduce], q/2))
	alone := q/1024*s.Reduce + q*ratio/disk
	rest = max(alone, wave*q*ratio*Replication*out/disk, m.wan(c, Slots[job.Reduce], q*ratio/2))
	return shuffle, rest
}

// wan is the time for so many MB of each task to cross between the physical clusters while all nodes' tasks do the same.
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

// Task stretches a task's time by the composition of its MR-cluster.
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
