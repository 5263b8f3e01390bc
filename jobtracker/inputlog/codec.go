package inputlog

import (
	"google.golang.org/protobuf/encoding/protowire"

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
	return record.Append(b, func(c *record.Codec) { input(c, in) })
}

// DecodeInput decodes a payload and overwrites every field of in. It returns an error of kind
// Corrupt if the payload is damaged.
func DecodeInput(b []byte, in *jobtracker.Input) error {
	*in = jobtracker.Input{}
	return record.Decode(b, func(c *record.Codec) { input(c, in) })
}

func input(c *record.Codec, in *jobtracker.Input) {
	record.Small(c, iKind, &in.Kind)
	c.Number(iNow, &in.Now)
	c.Unsigned(iReq, &in.Req)
	record.Small(c, iJob, &in.Job)
	attempt(c, iAttempt, &in.Attempt)
	record.Small(c, iTracker, &in.Tracker)
	record.Small(c, iPriority, &in.Priority)
	c.Number(iMillis, &in.Millis)
	c.Text(iText, &in.Text)
	c.Text(iErr, &in.Err)
	c.Spec(iSpec, &in.Spec)
	record.Optional(c, iRegister, &in.Register, register)
	record.Optional(c, iReport, &in.Report, report)
	record.List(c, iHost, &in.Hosts, func(c *record.Codec, h *string) { c.Text(1, h) })
	record.List(c, iLimit, &in.Limits, limit)
	c.Text(iName, &in.Name)
	record.Small(c, iDrain, &in.Drain)
	record.Optional(c, iSetup, &in.Setup, setup)
}

func limit(c *record.Codec, l *heartbeat.Limit) {
	attempt(c, 1, &l.Attempt)
	record.Small(c, 2, &l.CPU)
	record.Small(c, 3, &l.Memory)
	c.Text(4, &l.Why)
}

func setup(c *record.Codec, s *jobtracker.PolicySetup) {
	c.Text(uName, &s.Name)
	settings(c, s)
	record.List(c, uFile, &s.Files, file)
}

func settings(c *record.Codec, s *jobtracker.PolicySetup) {
	type setting struct{ key, value string }
	var list []setting
	for k, v := range ordered.All(s.Settings) {
		list = append(list, setting{k, v})
	}
	record.List(c, uSetting, &list, func(c *record.Codec, x *setting) {
		c.Text(1, &x.key)
		c.Text(2, &x.value)
	})
	if c.Reads() && len(list) > 0 {
		s.Settings = map[string]string{}
		for _, x := range list {
			s.Settings[x.key] = x.value
		}
	}
}

// file names the fields of a policy's file. The encoding distinguishes a missing file from an empty
// one.
func file(c *record.Codec, f *scheduler.File) {
	exists, data := f.Data != nil, string(f.Data)
	c.Text(lKey, &f.Key)
	c.Text(lPath, &f.Path)
	c.Bool(lExists, &exists)
	c.Text(lData, &data)
	if c.Reads() && (exists || data != "") {
		f.Data = []byte(data)
	}
}

// attempt names the field of an attempt's ID. The encoding omits the zero ID.
func attempt(c *record.Codec, num protowire.Number, a *job.Attempt) {
	if !c.Reads() && *a == (job.Attempt{}) {
		return
	}
	c.Message(num, func(c *record.Codec) {
		record.Small(c, aJob, &a.Job)
		record.Small(c, aType, &a.Type)
		record.Small(c, aIndex, &a.Index)
		record.Small(c, aN, &a.N)
	})
}

func register(c *record.Codec, g *jobtracker.Register) {
	c.Text(gName, &g.Name)
	c.Text(gHost, &g.Host)
	c.Text(gRack, &g.Rack)
	c.Text(gAddr, &g.Addr)
	c.Number(gIncarnation, &g.Incarnation)
	record.Small(c, gMapSlots, &g.Slots[0])
	record.Small(c, gReduceSlots, &g.Slots[1])
	record.Small(c, gMemory, &g.Memory)
	record.Small(c, gVCores, &g.VCores)
}

func report(c *record.Codec, r *heartbeat.Report) {
	record.Small(c, rTracker, &r.Tracker)
	c.Number(rIncarnation, &r.Incarnation)
	c.Unsigned(rSeq, &r.Seq)
	c.Bool(rFull, &r.Full)
	record.Small(c, rMapSlots, &r.Slots[0])
	record.Small(c, rReduceSlots, &r.Slots[1])
	record.List(c, rAttempt, &r.Attempts, attemptReport)
	record.List(c, rFetch, &r.Fetch, func(c *record.Codec, f *heartbeat.FetchFailure) {
		attempt(c, 1, &f.Reduce)
		attempt(c, 2, &f.Map)
	})
	record.List(c, rRefused, &r.Refused, func(c *record.Codec, f *heartbeat.Refusal) {
		record.Small(c, 1, &f.Job)
		c.Text(2, &f.Text)
	})
	record.List(c, rUnheld, &r.Unheld, unheld)
	c.Text(rUnhealthy, &r.Unhealthy)
	record.Small(c, rOtherLoad, &r.OtherLoad)
}

func unheld(c *record.Codec, u *heartbeat.Unheld) {
	attempt(c, 1, &u.Attempt)
	record.Small(c, 2, &u.CPU)
	record.Small(c, 3, &u.Memory)
	record.Small(c, 4, &u.HeldCPU)
	record.Small(c, 5, &u.HeldMemory)
	c.Text(6, &u.Why)
}

func attemptReport(c *record.Codec, r *heartbeat.AttemptReport) {
	attempt(c, tAttempt, &r.Attempt)
	record.Small(c, tState, &r.State)
	record.Small(c, tPhase, &r.Phase)
	record.Small(c, tProgress, &r.Progress)
	record.Optional(c, tCounters, &r.Counters, record.Counters)
	c.Number(tShuffleDone, &r.ShuffleDone)
	c.Number(tSortDone, &r.SortDone)
	c.Number(tRangeStart, &r.Range.Start)
	c.Number(tRangeLength, &r.Range.Length)
	record.Small(c, tKind, &r.Kind)
	c.Text(tText, &r.Text)
	c.Text(tStatus, &r.Status)
	record.List(c, tManifest, &r.Manifest, record.File)
}
