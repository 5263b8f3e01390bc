package history

import (
	"github.com/howdah/howdah/internal/record"
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
	fSpec        = 28 // message, see record.Codec.Spec
	fCounters    = 29 // message, see record.Counters
	fManifest    = 30 // repeated message
	fAttemptJob  = 31 // job of the attempt's task, if it differs from fJob
	fRangeStart  = 32
	fRangeLength = 33
)

// AppendEvent appends a fact's payload without a frame to b.
func AppendEvent(b []byte, e *event.Event) []byte {
	attemptJob := int64(e.Attempt.Job) - int64(e.Job)
	return record.Append(b, func(c *record.Codec) { fields(c, e, &attemptJob) })
}

// eventSize returns the length of a fact's payload.
func eventSize(e *event.Event) int {
	attemptJob := int64(e.Attempt.Job) - int64(e.Job)
	return record.Size(func(c *record.Codec) { fields(c, e, &attemptJob) })
}

// DecodeEvent decodes a payload into e. It overwrites all fields of e.
func DecodeEvent(b []byte, e *event.Event) error {
	*e = event.Event{}
	attemptJob := int64(0)
	err := record.Decode(b, func(c *record.Codec) { fields(c, e, &attemptJob) })
	e.Attempt.Job = int32(int64(e.Job) + attemptJob)
	return err
}

// fields names the fields of a fact. attemptJob is the number of the attempt's job minus that of
// the fact's job.
func fields(c *record.Codec, e *event.Event, attemptJob *int64) {
	c.Number(fTime, &e.Time)
	record.Small(c, fType, &e.Type)
	record.Small(c, fJob, &e.Job)
	record.Small(c, fTracker, &e.Tracker)
	record.Small(c, fTaskType, &e.Attempt.Type)
	record.Small(c, fTaskIndex, &e.Attempt.Index)
	record.Small(c, fAttempt, &e.Attempt.N)
	record.Small(c, fSlot, &e.Slot)
	record.Small(c, fLocality, &e.Locality)
	record.Small(c, fState, &e.State)
	record.Small(c, fTaskState, &e.TaskState)
	record.Small(c, fJobState, &e.JobState)
	record.Small(c, fPriority, &e.Priority)
	record.Small(c, fKind, &e.Kind)
	record.Small(c, fMapSlots, &e.Slots[0])
	record.Small(c, fReduceSlots, &e.Slots[1])
	record.Small(c, fMemory, &e.Memory)
	record.Small(c, fVCores, &e.VCores)
	c.Number(fN, &e.N)
	c.Number(fIncarnation, &e.Incarnation)
	c.Number(fShuffleDone, &e.ShuffleDone)
	c.Number(fSortDone, &e.SortDone)
	c.Number(fRangeStart, &e.Range.Start)
	c.Number(fRangeLength, &e.Range.Length)
	c.Text(fName, &e.Name)
	c.Text(fHost, &e.Host)
	c.Text(fRack, &e.Rack)
	c.Text(fAddr, &e.Addr)
	c.Text(fText, &e.Text)
	c.Spec(fSpec, &e.Spec)
	record.Optional(c, fCounters, &e.Counters, record.Counters)
	record.List(c, fManifest, &e.Manifest, record.File)
	c.Number(fAttemptJob, attemptJob)
}
