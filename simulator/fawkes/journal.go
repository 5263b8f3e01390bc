package fawkes

import (
	"bytes"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
)

// This file keeps the manager's facts in the format of its journal on disk. A restarted manager
// therefore reads the same data as a real manager.

// write appends the fact to the journal if the manager may be killed. It ignores errors, which
// would be bugs that a later replay would reveal.
func (p *pool) write(f *mrcluster.Fact) {
	if p.cfg.Faults.ManagerEvery <= 0 {
		return
	}
	if p.journal == nil {
		p.journal = journal.AppendHeader(nil)
	}
	p.journal, _ = journal.Encode(p.journal, *f)
}

// replay applies the journal to the new manager m. If Faults.Snapshots is set, replay then replaces
// the journal with a snapshot of the manager.
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
