package jobtracker

import (
	"math"

	"github.com/howdah/howdah/job"
)

// load is what an attempt takes of its tracker.
type load struct {
	typ    job.TaskType // of the task
	slot   job.TaskType // job.Container = none
	width  int32        // slots of that kind
	memory int32        // MiB
	vcores int32
}

// load gives what an attempt of a task takes in a slot of a kind.
func (m *Machine) load(s *job.Spec, typ, slot job.TaskType) load {
	return load{typ: typ, slot: slot, width: m.width(s, typ, slot), memory: s.Memory(typ), vcores: s.VCores(typ)}
}

// width tells how many slots of a kind a task needs: as many as together stand for the memory that its job asks for. A job
// that does not say needs one (CapacityTaskScheduler: such a task has the memory of a slot).
func (m *Machine) width(s *job.Spec, typ, slot job.TaskType) int32 {
	if slot > job.Reduce {
		return 0
	}
	asked, unit := s.MapMemory, m.cfg.SlotMemory[slot]
	if typ == job.Reduce {
		asked = s.ReduceMemory
	}
	if unit <= 0 || asked <= unit {
		return 1
	}
	return int32((int64(asked) + int64(unit) - 1) / int64(unit))
}

// loadOf gives what an attempt that was launched takes: its width is the one that the journal has.
func (j *jobState) loadOf(a *attempt) load {
	typ := a.view.ID.Type
	return load{typ: typ, slot: a.view.Slot, width: a.view.Width, memory: j.view.Spec.Memory(typ), vcores: j.view.Spec.VCores(typ)}
}

// fits tells whether a tracker has room for a load. A container goes by memory alone, so a tracker that has not told how much
// it has gets none; cores are the policy's to watch.
func (t *tracker) fits(l load) bool {
	if l.slot == job.Container {
		return int64(t.view.UsedMemory)+int64(l.memory) <= int64(t.view.Memory)
	}
	return t.view.Free(l.slot) >= l.width
}

// use counts a load on a tracker (or, with -1, takes it off again).
func (m *Machine) use(t *tracker, l load, n int32) {
	t.view.UsedMemory += n * l.memory
	t.view.UsedVCores += n * l.vcores
	if l.slot == job.Container {
		return
	}
	t.view.Used[l.slot] += n * l.width
	if l.typ != l.slot {
		t.view.Lent[l.slot] += n * l.width
	}
	if !t.lost {
		m.totals.Used[l.slot] += n * l.width
	}
}

// hasRoom tells whether a policy may place something on a tracker: a slot is free or, for a policy of containers, memory.
func (m *Machine) hasRoom(t *tracker) bool {
	return t.view.Free(job.Map)+t.view.Free(job.Reduce) > 0 || m.containers && t.view.UsedMemory < t.view.Memory
}

// legalWidth tells whether a journaled number of slots fits the kind of slot.
func legalWidth(slot job.TaskType, n int64) bool {
	return n >= 0 && n <= math.MaxInt32 && (slot != job.Container || n == 0)
}
