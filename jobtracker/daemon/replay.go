package daemon

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/jobtracker/inputlog"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
)

// Replayed is the result of ReplayInputs.
type Replayed struct {
	Scheduler string
	Inputs    int64
	Decisions int64
	Hash      string // hash of the facts; equal hashes mean identical decisions
	Torn      bool   // the recording ends with an incomplete record, because the JobTracker was killed
}

// ReplayInputs replays a recording made with RecordInputs and returns a summary of the machine's
// decisions. table builds the recorded policies from their recorded settings and files.
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

// remake rebuilds the machine as it was at the start of the recording.
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

// remakePolicy builds the policy for an input that changes the policy, because the recording
// contains only the policy's setup.
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

// applyAll replays the content of a journal file into m.
func applyAll(m *jobtracker.Machine, journal []byte) error {
	if err := history.NewDecoder(bytes.NewReader(journal)).Each(m.Apply); err != nil {
		return failure.New(failure.Corrupt, "replay recorded inputs", "start", err)
	}
	return nil
}
