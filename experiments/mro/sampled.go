package mro

import (
	"time"

	"github.com/howdah/howdah/internal/cgroup"
)

// sampled is the nodes' resource usage over time.
type sampled struct {
	at     []int64         // milliseconds since the epoch
	cpu    []time.Duration // CPU time of all nodes since their groups were created
	memory []int64         // bytes in use on all nodes
	err    error           // the error that ended the sampling, or nil
}

// sampleEvery is the time between two samples.
const sampleEvery = 200 * time.Millisecond

func (s *sampled) follow(nodes []*cgroup.Group, done <-chan struct{}) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for s.err == nil {
		select {
		case <-done:
			return
		case <-ticker.C:
			s.take(nodes)
		}
	}
}

func (s *sampled) take(nodes []*cgroup.Group) {
	var cpu time.Duration
	var memory int64
	for _, n := range nodes {
		u, err := n.Usage()
		if err != nil {
			s.err = err
			return
		}
		cpu += u.CPU
		memory += u.Memory
	}
	s.at, s.cpu, s.memory = append(s.at, time.Now().UnixMilli()), append(s.cpu, cpu), append(s.memory, memory)
}

// between returns the CPU time used between the first and the last sample of a period, and the mean
// memory of all samples in the period, in bytes. The period is in ms since the epoch and includes both
// ends.
func (s *sampled) between(first, last int64) (cpu time.Duration, memory float64) {
	begin, n := -1, 0.0
	for i, at := range s.at {
		if at < first || at > last {
			continue
		}
		if begin < 0 {
			begin = i
		}
		cpu = s.cpu[i] - s.cpu[begin]
		memory += float64(s.memory[i])
		n++
	}
	return cpu, memory / max(1, n)
}
