package daemon

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/inputlog"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
)

// Replayed sums up what ReplayInputs decided.
type Replayed struct {
	Scheduler string
	Inputs    int64
	Decisions int64
	Hash      string // of the facts; equal hashes mean equal decisions, byte for byte
	Torn      bool   // the recording ends in an incomplete record: its JobTracker was killed
}

// ReplayInputs feeds a machine what RecordInputs wrote and sums up what it decides. The policies that were in place are made
// again by table from the settings and files that they had.
func ReplayInputs(r io.Reader, table catalog.Table) (*Replayed, error) {
	d, start, err := inputlog.NewDecoder(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	m, err := remake(table, start)
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
		if err := remakePolicy(table, &in); err != nil {
			return nil, err
		}
		sum.Inputs++
		outs = m.Step(&in, outs[:0])
		add(outs)
	}
}

// remake makes the machine as it was when the recording began.
func remake(table catalog.Table, start *inputlog.Start) (*jobtracker.Machine, error) {
	setup := remadeSetup(&jobtracker.PolicySetup{Settings: start.Settings, Files: start.Files})
	p, _, err := table.Make(start.Scheduler, setup)
	if err != nil {
		return nil, err
	}
	m, err := jobtracker.New(start.Config, p)
	if err != nil || start.Speculator == "" {
		return m, err
	}
	s, err := speculation.New(start.Speculator, setup)
	if err == nil {
		m.SetSpeculator(s)
	}
	return m, err
}

// remakePolicy gives an input that changes a policy the policy that was not recorded.
func remakePolicy(table catalog.Table, in *jobtracker.Input) (err error) {
	if in.Setup == nil {
		return nil
	}
	switch setup := remadeSetup(in.Setup); in.Kind {
	case jobtracker.InSetPolicy:
		in.Policy, _, err = table.Make(in.Setup.Name, setup)
	case jobtracker.InSetSpeculator:
		in.Policy, err = speculation.New(in.Setup.Name, setup)
	}
	return err
}

func remadeSetup(s *jobtracker.PolicySetup) scheduler.Setup {
	c := conf.New()
	for k, v := range s.Settings {
		c.Set(k, v, "recorded")
	}
	return scheduler.Setup{Conf: c, Files: s.Files}
}

// applyAll replays a journal file into m.
func applyAll(m *jobtracker.Machine, journal []byte) error {
	if err := history.NewDecoder(bytes.NewReader(journal)).Each(m.Apply); err != nil {
		return failure.New(failure.Corrupt, "replay recorded inputs", "start", err)
	}
	return nil
}
