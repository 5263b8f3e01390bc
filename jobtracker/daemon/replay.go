package daemon

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/inputlog"
	"github.com/howdah/howdah/scheduler"
)

// Replayed sums up what ReplayInputs decided.
type Replayed struct {
	Scheduler string
	Inputs    int64
	Decisions int64
	Hash      string // of the facts; equal hashes mean equal decisions, byte for byte
	Torn      bool   // the recording ends in an incomplete record: its JobTracker was killed
}

// ReplayInputs feeds a machine what RecordInputs wrote and sums up what it decides. policy makes the scheduler that the
// recording names, with the settings that it had.
func ReplayInputs(r io.Reader, policy func(name string, settings map[string]string) (scheduler.Policy, error)) (*Replayed, error) {
	d, start, err := inputlog.NewDecoder(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	p, err := policy(start.Scheduler, start.Settings)
	if err != nil {
		return nil, err
	}
	m, err := jobtracker.New(start.Config, p)
	if err != nil {
		return nil, err
	}
	if err := applyAll(m, start.Journal); err != nil {
		return nil, err
	}
	sum := &Replayed{Scheduler: start.Scheduler}
	hash := history.NewHash()
	add := func(outs []jobtracker.Output) {
		for i := range outs {
			if outs[i].Kind == jobtracker.OutFact {
				hash.Add(outs[i].Event)
			}
		}
	}
	outs := m.Recovered(start.Now, nil)
	add(outs)
	for {
		var in jobtracker.Input
		switch err := d.Next(&in); {
		case err == io.EOF || errors.Is(err, history.ErrTorn):
			sum.Decisions, sum.Hash, sum.Torn = hash.Count(), hash.String(), err != io.EOF
			return sum, nil
		case err != nil:
			return nil, err
		}
		sum.Inputs++
		outs = m.Step(&in, outs[:0])
		add(outs)
	}
}

// applyAll replays a journal file into m.
func applyAll(m *jobtracker.Machine, journal []byte) error {
	d := history.NewDecoder(bytes.NewReader(journal))
	for {
		var e event.Event
		err := d.Next(&e)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = m.Apply(&e)
		}
		if err != nil {
			return failure.New(failure.Corrupt, "replay recorded inputs", "start", err)
		}
	}
}
