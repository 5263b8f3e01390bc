package master

import (
	"time"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mrcluster"
)

// sample puts together what the JobTracker and, if the MR-cluster has its own, the NameNode told.
func sample(j *cluster, s *stores, core int) *mrcluster.Sample {
	out := &mrcluster.Sample{Jobs: int64(len(j.jobs)), JobsDone: j.status.JobsFinished, TasksDone: j.tasks, Written: j.written}
	var slots [2]int64
	trackers := int64(0)
	for _, t := range j.status.Tracker {
		slots[job.Map] += int64(t.MapSlots)
		slots[job.Reduce] += int64(t.ReduceSlots)
		if t.Drain == nil {
			trackers++
		}
	}
	out.Slots = slots[job.Map] + slots[job.Reduce]
	slow, known := 0.0, 0
	for _, x := range j.jobs {
		out.RunningTasks += int64(x.MapsRunning + x.ReducesRunning)
		out.Bytes += x.InputBytes
		if waiting := int64(x.MapsWaiting + x.ReducesWaiting); waiting > 0 {
			out.WaitingTasks += waiting
			out.WaitingJobs++
			out.WaitingBytes += x.InputBytes
		}
		if b := j.books[x.Id]; b != nil && trackers > 0 {
			at := [2]float64{coreSlots(slots[job.Map], trackers, core), coreSlots(slots[job.Reduce], trackers, core)}
			if v := slowdown(x, b, at, time.Now().UnixMilli()); v > 0 {
				slow += v
				known++
			}
		}
	}
	if known > 0 {
		out.Slowdown = slow / float64(known)
	}
	if s != nil {
		out.Storage, out.Stored = s.capacity, s.stored
	}
	return out
}

// coreSlots is how many slots the core alone has: that is the reference by which jobs are slow.
func coreSlots(slots, trackers int64, core int) float64 {
	return max(1, float64(slots)/float64(trackers)*float64(core))
}

// slowdown is the time since a job's submission by what it would take with the core's slots to itself, by the mean time of those of its
// tasks that are done, as far as its counters are known. 0 = none of its maps is.
func slowdown(j *client.JobStatus, b *jobBook, slots [2]float64, now int64) float64 {
	if b.done[job.Map] == 0 || j.SubmitMs == 0 {
		return 0
	}
	alone := float64(b.millis[job.Map]) / float64(b.done[job.Map]) * float64(j.Maps) / slots[job.Map]
	if b.done[job.Reduce] > 0 {
		alone += float64(b.millis[job.Reduce]) / float64(b.done[job.Reduce]) * float64(j.Reduces) / slots[job.Reduce]
	}
	if alone <= 0 {
		return 0
	}
	return float64(now-j.SubmitMs) / alone
}
