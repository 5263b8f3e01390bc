package fawkes

import (
	"bytes"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
)

// This file keeps the manager's facts as its journal on disk does, so that one that starts again reads what a real one would.

// write appends a fact. An error would be one of ours, and shows when the facts are read.
func (p *pool) write(f *mrcluster.Fact) {
	if p.cfg.Faults.ManagerEvery <= 0 {
		return
	}
	if p.journal == nil {
		p.journal = journal.AppendHeader(nil)
	}
	p.journal, _ = journal.Encode(p.journal, *f)
}

// replay rebuilds a manager, and with Snapshots begins the journal anew with all that it then knows.
func (p *pool) replay(m *mrcluster.Machine) error {
	if p.journal == nil {
		return nil
	}
	if _, err := journal.Replay(bytes.NewReader(p.journal), m.Apply); err != nil || !p.cfg.Faults.Snapshots {
		return err
	}
	p.journal = nil
	s := m.Snapshot()
	p.write(&s)
	return nil
}
