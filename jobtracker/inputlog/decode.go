package inputlog

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/internal/record"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

func number(n int32) protowire.Number { return protowire.Number(n) }

// DecodeInput decodes a payload and overwrites every field of in. It returns an error of kind
// Corrupt if the payload is damaged.
func DecodeInput(b []byte, in *jobtracker.Input) error {
	*in = jobtracker.Input{}
	return record.Fields(b, func(f record.Field) (err error) {
		switch f.Num {
		case iKind:
			return record.Small(f, &in.Kind)
		case iNow:
			return f.Number(&in.Now)
		case iReq:
			return unsigned(f, &in.Req)
		case iJob:
			return record.Small(f, &in.Job)
		case iAttempt:
			return decodeAttempt(f, &in.Attempt)
		case iTracker:
			return record.Small(f, &in.Tracker)
		case iPriority:
			return record.Small(f, &in.Priority)
		case iMillis:
			return f.Number(&in.Millis)
		case iText:
			return f.Text(&in.Text)
		case iErr:
			return f.Text(&in.Err)
		case iSpec:
			in.Spec, err = record.DecodeSpec(f)
			return err
		case iRegister:
			in.Register = &jobtracker.Register{}
			return f.Message(func(f record.Field) error { return decodeRegister(f, in.Register) })
		case iReport:
			in.Report = &heartbeat.Report{}
			return f.Message(func(f record.Field) error { return decodeReport(f, in.Report) })
		case iHost:
			in.Hosts = append(in.Hosts, "")
			return f.Message(func(f record.Field) error { return f.Text(&in.Hosts[len(in.Hosts)-1]) })
		case iLimit:
			in.Limits = append(in.Limits, heartbeat.Limit{})
			return f.Message(func(f record.Field) error { return decodeLimit(f, &in.Limits[len(in.Limits)-1]) })
		case iName:
			return f.Text(&in.Name)
		case iDrain:
			return record.Small(f, &in.Drain)
		case iSetup:
			in.Setup = &jobtracker.PolicySetup{}
			return f.Message(func(f record.Field) error { return decodeSetup(f, in.Setup) })
		}
		return nil
	})
}

func decodeLimit(f record.Field, l *heartbeat.Limit) error {
	switch f.Num {
	case 1:
		return decodeAttempt(f, &l.Attempt)
	case 2:
		return record.Small(f, &l.CPU)
	case 3:
		return record.Small(f, &l.Memory)
	case 4:
		return f.Text(&l.Why)
	}
	return nil
}

func decodeSetup(f record.Field, s *jobtracker.PolicySetup) error {
	switch f.Num {
	case uName:
		return f.Text(&s.Name)
	case uSetting:
		return decodeSetting(f, s)
	case uFile:
		s.Files = append(s.Files, scheduler.File{})
		return f.Message(func(f record.Field) error { return decodePolicyFile(f, &s.Files[len(s.Files)-1]) })
	}
	return nil
}

func decodeSetting(f record.Field, s *jobtracker.PolicySetup) error {
	var key, value string
	err := f.Message(func(f record.Field) error {
		switch f.Num {
		case 1:
			return f.Text(&key)
		case 2:
			return f.Text(&value)
		}
		return nil
	})
	if s.Settings == nil {
		s.Settings = map[string]string{}
	}
	s.Settings[key] = value
	return err
}

func decodePolicyFile(f record.Field, file *scheduler.File) error {
	switch f.Num {
	case lKey:
		return f.Text(&file.Key)
	case lPath:
		return f.Text(&file.Path)
	case lExists:
		file.Data = append([]byte{}, file.Data...)
	case lData:
		var data string
		err := f.Text(&data)
		file.Data = []byte(data)
		return err
	}
	return nil
}

func unsigned(f record.Field, to *uint64) error {
	var v int64
	err := f.Number(&v)
	*to = uint64(v)
	return err
}

func decodeAttempt(f record.Field, a *job.Attempt) error {
	return f.Message(func(f record.Field) error {
		switch f.Num {
		case aJob:
			return record.Small(f, &a.Job)
		case aType:
			return record.Small(f, &a.Type)
		case aIndex:
			return record.Small(f, &a.Index)
		case aN:
			return record.Small(f, &a.N)
		}
		return nil
	})
}

func decodeRegister(f record.Field, g *jobtracker.Register) error {
	switch f.Num {
	case gName:
		return f.Text(&g.Name)
	case gHost:
		return f.Text(&g.Host)
	case gRack:
		return f.Text(&g.Rack)
	case gAddr:
		return f.Text(&g.Addr)
	case gIncarnation:
		return f.Number(&g.Incarnation)
	case gMapSlots:
		return record.Small(f, &g.Slots[0])
	case gReduceSlots:
		return record.Small(f, &g.Slots[1])
	case gMemory:
		return record.Small(f, &g.Memory)
	case gVCores:
		return record.Small(f, &g.VCores)
	}
	return nil
}

func decodeReport(f record.Field, r *heartbeat.Report) error {
	switch f.Num {
	case rTracker:
		return record.Small(f, &r.Tracker)
	case rIncarnation:
		return f.Number(&r.Incarnation)
	case rSeq:
		return unsigned(f, &r.Seq)
	case rFull:
		var v int64
		err := f.Number(&v)
		r.Full = v != 0
		return err
	case rMapSlots:
		return record.Small(f, &r.Slots[0])
	case rReduceSlots:
		return record.Small(f, &r.Slots[1])
	case rAttempt:
		r.Attempts = append(r.Attempts, heartbeat.AttemptReport{})
		return f.Message(func(f record.Field) error { return decodeAttemptReport(f, &r.Attempts[len(r.Attempts)-1]) })
	case rFetch:
		r.Fetch = append(r.Fetch, heartbeat.FetchFailure{})
		return f.Message(func(f record.Field) error { return decodeFetch(f, &r.Fetch[len(r.Fetch)-1]) })
	case rRefused:
		r.Refused = append(r.Refused, heartbeat.Refusal{})
		return f.Message(func(f record.Field) error { return decodeRefusal(f, &r.Refused[len(r.Refused)-1]) })
	case rUnheld:
		r.Unheld = append(r.Unheld, heartbeat.Unheld{})
		return f.Message(func(f record.Field) error { return decodeUnheld(f, &r.Unheld[len(r.Unheld)-1]) })
	case rUnhealthy:
		return f.Text(&r.Unhealthy)
	case rOtherLoad:
		return record.Small(f, &r.OtherLoad)
	}
	return nil
}

func decodeFetch(f record.Field, x *heartbeat.FetchFailure) error {
	switch f.Num {
	case 1:
		return decodeAttempt(f, &x.Reduce)
	case 2:
		return decodeAttempt(f, &x.Map)
	}
	return nil
}

func decodeUnheld(f record.Field, u *heartbeat.Unheld) error {
	switch f.Num {
	case 1:
		return decodeAttempt(f, &u.Attempt)
	case 2:
		return record.Small(f, &u.CPU)
	case 3:
		return record.Small(f, &u.Memory)
	case 4:
		return record.Small(f, &u.HeldCPU)
	case 5:
		return record.Small(f, &u.HeldMemory)
	case 6:
		return f.Text(&u.Why)
	}
	return nil
}

func decodeRefusal(f record.Field, x *heartbeat.Refusal) error {
	switch f.Num {
	case 1:
		return record.Small(f, &x.Job)
	case 2:
		return f.Text(&x.Text)
	}
	return nil
}

func decodeAttemptReport(f record.Field, r *heartbeat.AttemptReport) error {
	switch f.Num {
	case tAttempt:
		return decodeAttempt(f, &r.Attempt)
	case tState:
		return record.Small(f, &r.State)
	case tPhase:
		return record.Small(f, &r.Phase)
	case tProgress:
		return record.Small(f, &r.Progress)
	case tCounters:
		r.Counters = &job.Counters{}
		return f.Message(func(f record.Field) error { return record.DecodeCounter(f, r.Counters) })
	case tShuffleDone:
		return f.Number(&r.ShuffleDone)
	case tRangeStart:
		return f.Number(&r.Range.Start)
	case tRangeLength:
		return f.Number(&r.Range.Length)
	case tSortDone:
		return f.Number(&r.SortDone)
	case tKind:
		return record.Small(f, &r.Kind)
	case tText:
		return f.Text(&r.Text)
	case tStatus:
		return f.Text(&r.Status)
	case tManifest:
		r.Manifest = append(r.Manifest, job.OutputFile{})
		return f.Message(func(f record.Field) error { return record.DecodeFile(f, &r.Manifest[len(r.Manifest)-1]) })
	}
	return nil
}
