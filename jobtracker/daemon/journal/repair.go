package journal

import (
	"bytes"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// Damage describes a damaged journal.
type Damage struct {
	File   string
	Offset int64 // where the damage begins, in bytes
	Bytes  int64 // from the offset to the end of the file
	Reason error
	Facts  int       // number of intact facts before the damage
	Time   int64     // of the last intact fact before the damage; in ms since the epoch
	Lost   []LostJob // jobs that the readable facts after the damage mention, by ID
	Kept   string    // file to which Cut moved the bytes; "" means that the journal is unchanged

	used map[int32]bool // numbers of the jobs before the damage
}

// LostJob is a job with facts that a cut at the damage loses.
type LostJob struct {
	ID     job.ID
	Facts  int       // readable facts after the damage
	Output string    // URI of the output directory, if its submission is among these facts
	New    bool      // the job's submission is among these facts
	State  job.State // final state, if the job's end is among these facts; otherwise Prep
}

// Examine reads the journal in a directory without changing anything. It returns nil if the journal
// is intact. A torn tail is not damage. A file of a different kind or version is an error.
func Examine(dir string) (*Damage, error) {
	file, err := factlog.Newest(dir)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "examine journal", file, err)
	}
	_, d, err := examine(b)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "examine journal", file, err)
	}
	if d != nil {
		d.File = file
	}
	return d, nil
}

// Cut moves the bytes from the damage to the end of the journal to another file. The JobTracker can
// then start with the state before the damage. Cut also marks the numbers of the lost jobs as used,
// so that no new job gets the ID of a lost one. It returns nil if the journal is intact, and an
// error of kind Exists if a JobTracker uses the directory.
func Cut(dir string) (*Damage, error) {
	file, err := factlog.Newest(dir) // before Open, which would create a journal
	if err != nil {
		return nil, err
	}
	var d *Damage
	f := format(nil)
	f.Replay = func(r io.Reader) (good int64, err error) {
		b, err := io.ReadAll(r)
		if err != nil {
			return 0, err
		}
		good, d, err = examine(b)
		return good, err
	}
	j, torn, err := factlog.Open(dir, f)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	if d == nil {
		return nil, nil
	}
	d.File, d.Kept = file, torn.File
	var facts []byte
	for _, lost := range d.Lost {
		if seq := lost.ID.Seq; !d.used[seq] {
			e := event.Event{Type: event.JobRetired, Time: d.Time, Job: seq, N: int64(seq)}
			if facts, err = history.AppendRecord(facts, &e); err != nil {
				return d, err
			}
		}
	}
	if len(facts) > 0 {
		err = j.Append(facts)
	}
	return d, err
}

// examine returns the offset of the end of the last good record before any damage.
func examine(file []byte) (good int64, d *Damage, err error) {
	d = &Damage{used: map[int32]bool{}}
	cluster := ""
	records := history.NewDecoder(bytes.NewReader(file))
	for {
		var e event.Event
		payload, err := records.Payload()
		if err == io.EOF || err == history.ErrTorn {
			return records.Offset(), nil, nil
		}
		if failure.Is(err, failure.Corrupt) && records.Offset() > 0 {
			d.Offset, d.Reason = records.Offset(), err
			break
		}
		if err == nil {
			err = history.DecodeEvent(payload, &e)
		}
		if err != nil {
			return 0, nil, err
		}
		d.Facts++
		d.Time, d.used[e.Job] = max(d.Time, e.Time), true
		if e.Type == event.Started {
			cluster = e.Name
		}
	}
	d.Bytes = int64(len(file)) - d.Offset
	d.Lost = lostJobs(file[d.Offset:], cluster)
	return d.Offset, d, nil
}

func lostJobs(rest []byte, cluster string) (list []LostJob) {
	jobs := map[int32]*LostJob{}
	for e := range history.Salvage(rest) {
		if e.Job <= 0 {
			continue
		}
		j := jobs[e.Job]
		if j == nil {
			j = &LostJob{ID: job.ID{Cluster: cluster, Seq: e.Job}}
			jobs[e.Job] = j
		}
		j.Facts++
		switch {
		case e.Type == event.JobSubmitted && e.Spec != nil:
			j.New, j.Output = true, e.Spec.OutputDir
		case e.Type == event.JobFinished:
			j.State = e.JobState
		}
	}
	for _, seq := range slices.Sorted(maps.Keys(jobs)) {
		list = append(list, *jobs[seq])
	}
	return list
}
