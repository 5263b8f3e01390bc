package importer

import "github.com/howdah/howdah/simulator/trace"

// DropIdle returns a source without the gaps during which no job ran, as in SIM section IV-E. After
// a gap, the next job arrives when the last of the earlier jobs ends. A job without a recorded end
// counts as ending after its longest map and reduce, run in sequence from its submission. All times
// of a job shift by the same amount.
func DropIdle(s trace.Source) trace.Source { return &busy{in: s} }

type busy struct {
	in     trace.Source
	begun  bool
	end    int64 // end of the current busy period, in recorded time
	closed int64 // ms of idle time removed so far
}

func (b *busy) Next() (*trace.Job, error) {
	from, err := b.in.Next()
	if err != nil {
		return nil, err
	}
	if b.begun && from.Submit > b.end {
		b.closed += from.Submit - b.end
	}
	b.begun = true
	b.end = max(b.end, ended(from))
	if b.closed == 0 {
		return from, nil
	}
	return shifted(from, b.closed), nil
}

func ended(j *trace.Job) int64 {
	if j.Finish > 0 {
		return max(j.Finish, j.Submit)
	}
	m, r := int64(0), int64(0)
	for i := range j.Maps {
		m = max(m, j.Maps[i].Time)
	}
	for i := range j.Reduces {
		r = max(r, j.Reduces[i].Shuffle+j.Reduces[i].Time)
	}
	return j.Submit + m + r
}

// shifted returns a copy of the job with all times moved earlier by the given number of ms.
func shifted(from *trace.Job, by int64) *trace.Job {
	j := *from
	earlier := func(t *int64) {
		if *t > 0 {
			*t -= by
		}
	}
	j.Submit -= by
	earlier(&j.Launch)
	earlier(&j.Finish)
	earlier(&j.Deadline)
	j.Maps = append([]trace.Map(nil), j.Maps...)
	for i := range j.Maps {
		earlier(&j.Maps[i].Start)
	}
	j.Reduces = append([]trace.Reduce(nil), j.Reduces...)
	for i := range j.Reduces {
		earlier(&j.Reduces[i].Start)
	}
	return &j
}
