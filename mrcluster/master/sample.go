package master

import (
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mrcluster"
)

// sample combines the reports of the JobTracker and the NameNode. s is nil if the MR-cluster does
// not have its own HDFS.
func sample(j *cluster, s *stores, core int) *mrcluster.Sample {
	out := &mrcluster.Sample{Jobs: int64(len(j.jobs)), JobsDone: j.status.Finished, TasksDone: j.tasks, Written: j.written}
	var slots [2]int64
	trackers := int64(0)
	for _, t := range j.status.Trackers {
		slots[job.Map] += int64(t.Maps.Total)
		slots[job.Reduce] += int64(t.Reduces.Total)
		if t.Drain == nil {
			trackers++
		}
	}
	out.Slots = slots[job.Map] + slots[job.Reduce]
	slow, known := 0.0, 0
	now, late := time.Now().UnixMilli(), 0.0
	for _, x := range j.jobs {
		out.RunningTasks += int64(x.Maps.Running + x.Reduces.Running)
		out.Bytes += x.InputBytes
		late += mrcluster.Late(now, x.SubmitMs, x.DeadlineMs, x.PredictedFinishMs)
		if waiting := int64(x.Maps.Waiting + x.Reduces.Waiting); waiting > 0 {
			out.WaitingTasks += waiting
			out.WaitingJobs++
			out.WaitingBytes += x.InputBytes
		}
		if b := j.books[x.ID]; b != nil && trackers > 0 {
			at := [2]float64{coreSlots(slots[job.Map], trackers, core), coreSlots(slots[job.Reduce], trackers, core)}
			if v := slowdown(x, b, at, now); v > 0 {
				slow += v
				known++
			}
		}
	}
	if known > 0 {
		out.Slowdown = slow / float64(known)
	}
	out.Lateness = late / float64(max(1, len(j.jobs)))
	if s != nil {
		out.Storage, out.Stored = s.capacity, s.stored
	}
	return out
}

// coreSlots estimates the number of slots on the core nodes alone. Job slowdown is relative to this
// number.
func coreSlots(slots, trackers int64, core int) float64 {
	return max(1, float64(slots)/float64(trackers)*float64(core))
}

// slowdown returns the time since a job's submission divided by the time that the job would take if
// it had the core's slots to itself. It estimates the latter from the mean duration of the
// completed tasks that the known counters cover. It returns 0 if no estimate is possible, for
// example before the first map has completed.
func slowdown(j *status.Job, b *jobBook, slots [2]float64, now int64) float64 {
	if b.done[job.Map] == 0 || j.SubmitMs == 0 {
		return 0
	}
	alone := float64(b.millis[job.Map]) / float64(b.done[job.Map]) * float64(j.Maps.Total) / slots[job.Map]
	if b.done[job.Reduce] > 0 {
		alone += float64(b.millis[job.Reduce]) / float64(b.done[job.Reduce]) * float64(j.Reduces.Total) / slots[job.Reduce]
	}
	if alone <= 0 {
		return 0
	}
	return float64(now-j.SubmitMs) / alone
}
