package jobtracker

import (
	"math"

	"github.com/howdah/howdah/job"
)

// load is the amount of a tracker's resources that an attempt uses.
type load struct {
	typ    job.TaskType // type of the task
	slot   job.TaskType // job.Container = no slot
	width  int32        // number of slots of type slot
	memory int32        // MiB
	vcores int32
}

// load returns the resources that an attempt of a task of type typ uses in a slot of type slot.
func (m *Machine) load(s *job.Spec, typ, slot job.TaskType) load {
	return load{typ: typ, slot: slot, width: m.width(s, typ, slot), memory: s.Memory(typ), vcores: s.VCores(typ)}
}

// width returns the number of slots of type slot that a task of type typ needs for its job's memory
// demand. A task without a demand needs one slot (Hadoop: CapacityTaskScheduler assigns such a task
// the memory of one slot).
func (m *Machine) width(s *job.Spec, typ, slot job.TaskType) int32 {
	if slot > job.Reduce {
		return 0
	}
	asked, unit := s.MapMemory, m.cfg.SlotMemory[slot]
	if typ == job.Reduce {
		asked = s.ReduceMemory
	}
	if unit <= 0 {
		return 1
	}
	return int32(max(1, (int64(asked)+int64(unit)-1)/int64(unit)))
}

// loadOf returns the resources that a launched attempt uses. The width comes from the journal.
func (j *jobState) loadOf(a *attempt) load {
	typ := a.view.ID.Type
	return load{typ: typ, slot: a.view.Slot, width: a.view.Width, memory: j.view.Spec.Memory(typ),
		vcores: j.view.Spec.VCores(typ)}
}

// fits reports whether a tracker has room for a load. For a container, fits compares only the
// memory, because the policy checks the cores. A tracker whose memory is unknown has no room for
// containers.
func (t *tracker) fits(l load) bool {
	if l.slot == job.Container {
		return int64(t.view.UsedMemory)+int64(l.memory) <= int64(t.view.Memory)
	}
	return t.view.Free(l.slot) >= l.width
}

// use adds a load to a tracker's usage if n is 1 and removes it if n is -1.
func (m *Machine) use(t *tracker, l load, n int32) {
	t.view.UsedMemory += n * l.memory
	t.view.UsedVCores += n * l.vcores
	if l.slot <= job.Reduce {
		t.view.Used[l.slot] += n * l.width
		if l.typ != l.slot {
			t.view.Lent[l.slot] += n * l.width
		}
		if !t.lost {
			m.totals.Used[l.slot] += n * l.width
		}
	}
	m.noteRoom(t)
}

// hasRoom reports whether a tracker has a free slot or, if the policy uses containers, free memory.
func (m *Machine) hasRoom(t *tracker) bool {
	return t.view.Free(job.Map)+t.view.Free(job.Reduce) > 0 || m.containers && t.view.UsedMemory < t.view.Memory
}

// legalWidth reports whether n, a number of slots in the journal, is valid for slots of type slot.
func legalWidth(slot job.TaskType, n int64) bool {
	return n >= 0 && n <= math.MaxInt32 && (slot != job.Container || n == 0)
}
