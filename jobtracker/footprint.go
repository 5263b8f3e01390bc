package jobtracker

// Approximate sizes in bytes of what a finished job keeps in memory, without the characters of
// texts. They include the room that the garbage collector needs, which is as large as the objects.
const (
	bytesSplit   = 80
	bytesTask    = 32
	bytesAttempt = 400 // with the attempt's entries in the job's lists
	bytesText    = 32
	bytesCounter = 64 // a user counter
	bytesBuiltin = 16 // a built-in counter that is not zero
)

// footprint returns the approximate size of a finished job in memory, in bytes.
func (j *jobState) footprint() int64 {
	n := bytesSplit * int64(len(j.view.Spec.Splits))
	for _, p := range j.view.Spec.Conf {
		n += 2*bytesText + int64(len(p.Name)+len(p.Value))
	}
	for _, tasks := range j.tasks {
		n += bytesTask * int64(len(tasks))
		for i := range tasks {
			if tasks[i].course == &compacted {
				n += bytesAttempt // the same as before the task was compacted
			}
			for _, a := range tasks[i].attempts() {
				n += a.footprint()
			}
		}
	}
	return n
}

func (a *attempt) footprint() int64 {
	n := bytesAttempt + int64(len(a.text)+len(a.status))
	if a.counters != nil {
		n += bytesCounter*int64(len(a.counters.user)) + bytesBuiltin*int64(len(a.counters.builtin))
	}
	for i := range a.manifest {
		n += bytesText + int64(len(a.manifest[i].Name))
	}
	return n
}
