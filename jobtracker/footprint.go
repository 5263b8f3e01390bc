package jobtracker

import "github.com/howdah/howdah/job"

// Approximate sizes of what a job keeps in memory, in bytes. They do not include texts.
const (
	bytesSplit   = 160
	bytesReplica = 16  // for each host of each split
	bytesHost    = 100 // for each different host
	bytesTask    = 64
	bytesAttempt = 400 // including the attempt's entries in the job's lists
	bytesText    = 32
	bytesCounter = 64 // a user counter
)

// SplitMemory returns the approximate size of a job's splits in memory, in bytes.
func SplitMemory(splits []job.SplitMeta) int64 {
	n := int64(0)
	names := map[string]bool{}
	for i := range splits {
		n += bytesSplit
		for _, host := range splits[i].Hosts {
			n += bytesReplica + int64(len(host))
			names[host] = true
		}
	}
	return n + bytesHost*int64(len(names))
}

// footprint returns the approximate size of a job in memory, in bytes.
func (j *jobState) footprint() int64 {
	n := SplitMemory(j.view.Spec.Splits)
	for _, p := range j.view.Spec.Conf {
		n += 2*bytesText + int64(len(p.Name)+len(p.Value))
	}
	for _, tasks := range j.tasks {
		n += bytesTask * int64(len(tasks))
		for i := range tasks {
			for _, a := range tasks[i].attempts {
				n += a.footprint()
			}
		}
	}
	return n
}

func (a *attempt) footprint() int64 {
	n := bytesAttempt + int64(len(a.text)+len(a.status))
	if a.counters != nil {
		n += bytesCounter*int64(len(a.counters.User)) + 8*int64(job.NumCounters)
	}
	for i := range a.manifest {
		n += bytesText + int64(len(a.manifest[i].Name))
	}
	return n
}
