package local

import (
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task"
)

// Progress reports the progress of a job. It is safe for concurrent use.
type Progress struct {
	splits []mapreduce.Split

	mu    sync.Mutex
	total [2]int
	ended [2]int
	begun [2]int64
	live  [2]map[int]*task.Live
}

func (p *Progress) init(splits []mapreduce.Split, reduces int) {
	p.splits, p.total = splits, [2]int{len(splits), reduces}
	p.live = [2]map[int]*task.Live{{}, {}}
}

// Splits returns the inputs of the job's maps. The caller must not change them.
func (p *Progress) Splits() []mapreduce.Split { return p.splits }

func (p *Progress) begin(t job.TaskType, i int) *task.Live {
	l := &task.Live{}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live[t][i] = l
	p.begun[t]++
	return l
}

func (p *Progress) end(t job.TaskType, i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.live[t], i)
	p.ended[t]++
}

func (p *Progress) launched(t job.TaskType) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun[t]
}

// Share returns the progress of the job's maps or reducers, from 0 to 1. As in Hadoop, without maps
// the map progress is 1, and without reducers the reduce progress is 0.
func (p *Progress) Share(t job.TaskType) float32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total[t] == 0 {
		if t == job.Map {
			return 1
		}
		return 0
	}
	sum := float32(p.ended[t])
	for _, l := range p.live[t] {
		sum += float32(l.Millionths()) / 1e6
	}
	return min(sum/float32(p.total[t]), 1)
}
