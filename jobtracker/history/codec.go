package history

import (
	"github.com/howdah/howdah/internal/record"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

// The field numbers of a fact's payload. Package internal/record defines the encoding.
const (
	fTime        = 1 // varint, zigzag-encoded like all signed numbers
	fType        = 2
	fJob         = 3
	fTracker     = 4
	fTaskType    = 5
	fTaskIndex   = 6
	fAttempt     = 7
	fSlot        = 8
	fLocality    = 9
	fState       = 10
	fTaskState   = 11
	fJobState    = 12
	fPriority    = 13
	fKind        = 14
	fMapSlots    = 15
	fReduceSlots = 16
	fMemory      = 17
	fVCores      = 18
	fN           = 19
	fIncarnation = 20
	fShuffleDone = 21
	fSortDone    = 22
	fName        = 23
	fHost        = 24
	fRack        = 25
	fAddr        = 26
	fText        = 27
	fSpec        = 28 // message, see record.Writer.Spec
	fCounters    = 29 // message, see record.Writer.Counters
	fManifest    = 30 // repeated message
	fAttemptJob  = 31 // job of the attempt's task, if it differs from fJob
	fRangeStart  = 32
	fRangeLength = 33
)

// AppendEvent appends a fact's payload without a frame to b.
func AppendEvent(b []byte, e *event.Event) []byte {
	w := record.Writer{B: b}
	put(&w, e)
	return w.B
}

// eventSize returns the length of a fact's payload.
func eventSize(e *event.Event) int { return record.Size(func(w *record.Writer) { put(w, e) }) }

func put(w *record.Writer, e *event.Event) {
	w.Number(fTime, e.Time)
	w.Number(fType, int64(e.Type))
	w.Number(fJob, int64(e.Job))
	w.Number(fTracker, int64(e.Tracker))
	w.Number(fTaskType, int64(e.Attempt.Type))
	w.Number(fTaskIndex, int64(e.Attempt.Index))
	w.Number(fAttempt, int64(e.Attempt.N))
	w.Number(fSlot, int64(e.Slot))
	w.Number(fLocality, int64(e.Locality))
	w.Number(fState, int64(e.State))
	w.Number(fTaskState, int64(e.TaskState))
	w.Number(fJobState, int64(e.JobState))
	w.Number(fPriority, int64(e.Priority))
	w.Number(fKind, int64(e.Kind))
	w.Number(fMapSlots, int64(e.Slots[0]))
	w.Number(fReduceSlots, int64(e.Slots[1]))
	w.Number(fMemory, int64(e.Memory))
	w.Number(fVCores, int64(e.VCores))
	w.Number(fN, e.N)
	w.Number(fIncarnation, e.Incarnation)
	w.Number(fShuffleDone, e.ShuffleDone)
	w.Number(fSortDone, e.SortDone)
	w.Number(fRangeStart, e.Range.Start)
	w.Number(fRangeLength, e.Range.Length)
	w.Text(fName, e.Name)
	w.Text(fHost, e.Host)
	w.Text(fRack, e.Rack)
	w.Text(fAddr, e.Addr)
	w.Text(fText, e.Text)
	if e.Spec != nil {
		w.Message(fSpec, func(w *record.Writer) { w.Spec(e.Spec) })
	}
	if e.Counters != nil {
		w.Message(fCounters, func(w *record.Writer) { w.Counters(e.Counters) })
	}
	for i := range e.Manifest {
		w.Message(fManifest, func(w *record.Writer) { w.File(&e.Manifest[i]) })
	}
	if d := int64(e.Attempt.Job) - int64(e.Job); d != 0 {
		w.Number(fAttemptJob, d)
	}
}

// DecodeEvent decodes a payload into e. It overwrites all fields of e.
func DecodeEvent(b []byte, e *event.Event) error {
	*e = event.Event{}
	attemptJob := int64(0)
	err := record.Fields(b, func(f record.Field) (err error) {
		switch f.Num {
		case fTime:
			return f.Number(&e.Time)
		case fType:
			return record.Small(f, &e.Type)
		case fJob:
			return record.Small(f, &e.Job)
		case fTracker:
			return record.Small(f, &e.Tracker)
		case fTaskType:
			return record.Small(f, &e.Attempt.Type)
		case fTaskIndex:
			return record.Small(f, &e.Attempt.Index)
		case fAttempt:
			return record.Small(f, &e.Attempt.N)
		case fSlot:
			return record.Small(f, &e.Slot)
		case fLocality:
			return record.Small(f, &e.Locality)
		case fState:
			return record.Small(f, &e.State)
		case fTaskState:
			return record.Small(f, &e.TaskState)
		case fJobState:
			return record.Small(f, &e.JobState)
		case fPriority:
			return record.Small(f, &e.Priority)
		case fKind:
			return record.Small(f, &e.Kind)
		case fMapSlots:
			return record.Small(f, &e.Slots[0])
		case fReduceSlots:
			return record.Small(f, &e.Slots[1])
		case fMemory:
			return record.Small(f, &e.Memory)
		case fVCores:
			return record.Small(f, &e.VCores)
		case fN:
			return f.Number(&e.N)
		case fIncarnation:
			return f.Number(&e.Incarnation)
		case fShuffleDone:
			return f.Number(&e.ShuffleDone)
		case fSortDone:
			return f.Number(&e.SortDone)
		case fRangeStart:
			return f.Number(&e.Range.Start)
		case fRangeLength:
			return f.Number(&e.Range.Length)
		case fName:
			return f.Text(&e.Name)
		case fHost:
			return f.Text(&e.Host)
		case fRack:
			return f.Text(&e.Rack)
		case fAddr:
			return f.Text(&e.Addr)
		case fText:
			return f.Text(&e.Text)
		case fSpec:
			e.Spec, err = record.DecodeSpec(f)
			return err
		case fCounters:
			e.Counters = &job.Counters{}
			return f.Message(func(f record.Field) error { return record.DecodeCounter(f, e.Counters) })
		case fManifest:
			e.Manifest = append(e.Manifest, job.OutputFile{})
			return f.Message(func(f record.Field) error { return record.DecodeFile(f, &e.Manifest[len(e.Manifest)-1]) })
		case fAttemptJob:
			return f.Number(&attemptJob)
		}
		return nil
	})
	e.Attempt.Job = int32(int64(e.Job) + attemptJob)
	return err
}
