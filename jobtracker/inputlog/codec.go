package inputlog

import (
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/internal/record"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// The field numbers of an input's payload.
const (
	iKind     = 1
	iNow      = 2
	iReq      = 3
	iJob      = 4
	iAttempt  = 5 // message
	iTracker  = 6
	iPriority = 7
	iMillis   = 8
	iText     = 9
	iErr      = 10
	iSpec     = 11 // message
	iRegister = 12 // message
	iReport   = 13 // message
	iHost     = 14 // repeated message: 1 the host
	_         = 15 // the user who requested a change, in older recordings
	iSetup    = 16 // message
	iLimit    = 17 // repeated message: 1 attempt, 2 CPU, 3 memory, 4 reason
	iName     = 18
	iDrain    = 19

	uName    = 1
	uSetting = 2 // repeated message: 1 key, 2 value
	uFile    = 3 // repeated message

	lKey    = 1
	lPath   = 2
	lExists = 3
	lData   = 4

	aJob   = 1
	aType  = 2
	aIndex = 3
	aN     = 4

	gName        = 1
	gHost        = 2
	gRack        = 3
	gAddr        = 4
	gIncarnation = 5
	gMapSlots    = 6
	gReduceSlots = 7
	gMemory      = 8
	gVCores      = 9

	rTracker     = 1
	rIncarnation = 2
	rSeq         = 3
	rFull        = 4
	rMapSlots    = 5
	rReduceSlots = 6
	rAttempt     = 7 // repeated message
	rFetch       = 8 // repeated message: 1 reduce, 2 map
	rRefused     = 9 // repeated message: 1 job, 2 text
	rUnhealthy   = 10
	rOtherLoad   = 11
	rUnheld      = 12 // repeated message: 1 attempt, 2 and 3 CPU and memory ordered, 4 and 5 actual, 6 reason

	tAttempt     = 1 // message
	tState       = 2
	tPhase       = 3
	tProgress    = 4
	tCounters    = 5 // message
	tShuffleDone = 6
	tSortDone    = 7
	tKind        = 8
	tText        = 9
	tStatus      = 10
	tManifest    = 11 // repeated message
	tRangeStart  = 12
	tRangeLength = 13
)

// AppendInput appends an input's payload to b, without a frame. It omits Policy, which a replay
// creates from Setup, and the fields of Report that the machine does not use.
func AppendInput(b []byte, in *jobtracker.Input) []byte {
	w := record.Writer{B: b}
	w.Number(iKind, int64(in.Kind))
	w.Number(iNow, in.Now)
	w.Number(iReq, int64(in.Req))
	w.Number(iJob, int64(in.Job))
	attempt(&w, iAttempt, in.Attempt)
	w.Number(iTracker, int64(in.Tracker))
	w.Number(iPriority, int64(in.Priority))
	w.Number(iMillis, in.Millis)
	w.Text(iText, in.Text)
	w.Text(iErr, in.Err)
	if in.Spec != nil {
		w.Message(iSpec, func(w *record.Writer) { w.Spec(in.Spec) })
	}
	if in.Register != nil {
		w.Message(iRegister, func(w *record.Writer) { register(w, in.Register) })
	}
	if in.Report != nil {
		w.Message(iReport, func(w *record.Writer) { report(w, in.Report) })
	}
	for _, h := range in.Hosts {
		w.Message(iHost, func(w *record.Writer) { w.Text(1, h) })
	}
	for i := range in.Limits {
		w.Message(iLimit, func(w *record.Writer) { limit(w, &in.Limits[i]) })
	}
	w.Text(iName, in.Name)
	w.Number(iDrain, int64(in.Drain))
	if in.Setup != nil {
		w.Message(iSetup, func(w *record.Writer) { setup(w, in.Setup) })
	}
	return w.B
}

func limit(w *record.Writer, l *heartbeat.Limit) {
	attempt(w, 1, l.Attempt)
	w.Number(2, int64(l.CPU))
	w.Number(3, int64(l.Memory))
	w.Text(4, l.Why)
}

func setup(w *record.Writer, s *jobtracker.PolicySetup) {
	w.Text(uName, s.Name)
	for k, v := range ordered.All(s.Settings) {
		w.Message(uSetting, func(w *record.Writer) {
			w.Text(1, k)
			w.Text(2, v)
		})
	}
	for i := range s.Files {
		w.Message(uFile, func(w *record.Writer) { file(w, &s.Files[i]) })
	}
}

// file appends a policy's file. The encoding distinguishes a missing file from an empty one.
func file(w *record.Writer, f *scheduler.File) {
	w.Text(lKey, f.Key)
	w.Text(lPath, f.Path)
	if f.Data != nil {
		w.Number(lExists, 1)
	}
	w.Text(lData, string(f.Data))
}

// attempt appends an attempt's ID. It omits the zero ID.
func attempt(w *record.Writer, num int32, a job.Attempt) {
	if a == (job.Attempt{}) {
		return
	}
	w.Message(number(num), func(w *record.Writer) {
		w.Number(aJob, int64(a.Job))
		w.Number(aType, int64(a.Type))
		w.Number(aIndex, int64(a.Index))
		w.Number(aN, int64(a.N))
	})
}

func register(w *record.Writer, g *jobtracker.Register) {
	w.Text(gName, g.Name)
	w.Text(gHost, g.Host)
	w.Text(gRack, g.Rack)
	w.Text(gAddr, g.Addr)
	w.Number(gIncarnation, g.Incarnation)
	w.Number(gMapSlots, int64(g.Slots[0]))
	w.Number(gReduceSlots, int64(g.Slots[1]))
	w.Number(gMemory, int64(g.Memory))
	w.Number(gVCores, int64(g.VCores))
}

func report(w *record.Writer, r *heartbeat.Report) {
	w.Number(rTracker, int64(r.Tracker))
	w.Number(rIncarnation, r.Incarnation)
	w.Number(rSeq, int64(r.Seq))
	if r.Full {
		w.Number(rFull, 1)
	}
	w.Number(rMapSlots, int64(r.Slots[0]))
	w.Number(rReduceSlots, int64(r.Slots[1]))
	for i := range r.Attempts {
		w.Message(rAttempt, func(w *record.Writer) { attemptReport(w, &r.Attempts[i]) })
	}
	for _, f := range r.Fetch {
		w.Message(rFetch, func(w *record.Writer) {
			attempt(w, 1, f.Reduce)
			attempt(w, 2, f.Map)
		})
	}
	for _, f := range r.Refused {
		w.Message(rRefused, func(w *record.Writer) {
			w.Number(1, int64(f.Job))
			w.Text(2, f.Text)
		})
	}
	for i := range r.Unheld {
		w.Message(rUnheld, func(w *record.Writer) { unheld(w, &r.Unheld[i]) })
	}
	w.Text(rUnhealthy, r.Unhealthy)
	w.Number(rOtherLoad, int64(r.OtherLoad))
}

func unheld(w *record.Writer, u *heartbeat.Unheld) {
	attempt(w, 1, u.Attempt)
	w.Number(2, int64(u.CPU))
	w.Number(3, int64(u.Memory))
	w.Number(4, int64(u.HeldCPU))
	w.Number(5, int64(u.HeldMemory))
	w.Text(6, u.Why)
}

func attemptReport(w *record.Writer, r *heartbeat.AttemptReport) {
	attempt(w, tAttempt, r.Attempt)
	w.Number(tState, int64(r.State))
	w.Number(tPhase, int64(r.Phase))
	w.Number(tProgress, int64(r.Progress))
	if r.Counters != nil {
		w.Message(tCounters, func(w *record.Writer) { w.Counters(r.Counters) })
	}
	w.Number(tShuffleDone, r.ShuffleDone)
	w.Number(tSortDone, r.SortDone)
	w.Number(tRangeStart, r.Range.Start)
	w.Number(tRangeLength, r.Range.Length)
	w.Number(tKind, int64(r.Kind))
	w.Text(tText, r.Text)
	w.Text(tStatus, r.Status)
	for i := range r.Manifest {
		w.Message(tManifest, func(w *record.Writer) { w.File(&r.Manifest[i]) })
	}
}
