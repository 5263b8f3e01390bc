package journal

import (
	"bytes"
	"io"
	"maps"
	"slices"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// Examine looks for damage in the journal in dir (see factlog.Examine). Damage.Lost lists the jobs
// that have facts after the damage, in order of ID.
func Examine(dir string) (*factlog.Damage, error) {
	return factlog.Examine(dir, format, new(examination).look)
}

// Cut truncates the journal in dir at the point of damage (see factlog.Cut). It also marks the
// numbers of the lost jobs as used, so that no new job gets the ID of a lost one.
func Cut(dir string) (*factlog.Damage, error) {
	var x examination
	return factlog.Cut(dir, format, x.look, func(l *factlog.Log, d *factlog.Damage) error {
		var facts []byte
		var err error
		for _, seq := range x.lost {
			if !x.used[seq] {
				e := event.Event{Type: event.JobRetired, Time: d.Time, Job: seq, N: int64(seq)}
				if facts, err = history.AppendRecord(facts, &e); err != nil {
					return err
				}
			}
		}
		j := &Journal{Log: l}
		j.take(x.read)
		return j.Append(facts) // also marks the end of a snapshot that the cut has shortened
	})
}

// examination contains what the look method finds in a journal in addition to the damage.
type examination struct {
	used map[int32]bool // numbers of the jobs before the damage
	lost []int32        // numbers of the jobs after it
	read *history.Decoder
}

func (x *examination) look(file []byte) (good int64, d *factlog.Damage, err error) {
	x.read = history.NewDecoder(bytes.NewReader(file))
	for err == nil {
		_, err = x.read.Payload()
	}
	d = &factlog.Damage{Offset: x.read.Offset(), Reason: err}
	damaged := failure.Is(err, failure.Corrupt) && d.Offset > 0
	if !damaged && err != io.EOF && err != history.ErrTorn {
		return 0, nil, err
	}
	x.used = map[int32]bool{}
	cluster := ""
	records := history.NewDecoder(bytes.NewReader(file[:d.Offset]))
	for {
		var e event.Event
		payload, err := records.Payload()
		if err != nil {
			break // the end of the good part
		}
		if err := history.DecodeEvent(payload, &e); err != nil {
			return 0, nil, err
		}
		d.Facts++
		d.Time, x.used[e.Job] = max(d.Time, e.Time), true
		if e.Type == event.Started {
			cluster = e.Name
		}
	}
	if !damaged {
		return d.Offset, nil, nil
	}
	x.lostJobs(d, file[d.Offset:], cluster)
	return d.Offset, d, nil
}

func (x *examination) lostJobs(d *factlog.Damage, rest []byte, cluster string) {
	jobs := map[int32]*factlog.Lost{}
	for e := range history.Salvage(rest) {
		if e.Job <= 0 {
			continue
		}
		j := jobs[e.Job]
		if j == nil {
			j = &factlog.Lost{Name: job.ID{Cluster: cluster, Seq: e.Job}.String()}
			jobs[e.Job] = j
		}
		j.Facts++
		switch {
		case e.Type == event.JobSubmitted && e.Spec != nil && e.Spec.OutputDir == "":
			j.Notes = append(j.Notes, "submitted without an output directory")
		case e.Type == event.JobSubmitted && e.Spec != nil:
			j.Notes = append(j.Notes, "submitted with the output directory "+e.Spec.OutputDir)
		case e.Type == event.JobFinished:
			j.Notes = append(j.Notes, "ended as "+e.JobState.String())
		}
	}
	x.lost = slices.Sorted(maps.Keys(jobs))
	for _, seq := range x.lost {
		d.Lost = append(d.Lost, *jobs[seq])
	}
}
