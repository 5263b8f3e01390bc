package record

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/job"
)

// These are the field numbers of a job's specification and of its splits.
const (
	sName            = 1
	sUser            = 2
	sQueue           = 3
	sPriority        = 4
	sSubmitKey       = 5
	sStagingDir      = 6
	sOutputDir       = 7
	sSplit           = 8 // repeated message
	sReduces         = 9
	sMapAttempts     = 10
	sReduceAttempts  = 11
	sMapFailures     = 12
	sReduceFailures  = 13
	sTrackerFailures = 14
	sSlowStart       = 15
	sTaskTimeout     = 16
	sMapMemory       = 17
	sReduceMemory    = 18
	sMapVCores       = 19
	sReduceVCores    = 20
	sMapLimit        = 21
	sReduceLimit     = 22
	sDeadline        = 23
	sConf            = 24 // repeated message: 1 name, 2 value
	sSpeculative     = 25 // bits: 1 = maps, 2 = reduces; older records lack this field, which means no speculation
	sSkipAfter       = 26
	sMapSkip         = 27
	sReduceSkip      = 28
	sCommitter       = 29
	sMaxCounters     = 30
	sMaxGroups       = 31

	splitHost   = 1 // repeated
	splitLength = 2
	splitOffset = 3
)

// maxPrefix is the maximum length of the number before a message.
const maxPrefix = 10

// Spec appends a job's specification. It first grows B to the size of the whole specification,
// because growing B in steps would leave several times that size to the garbage collector.
func (w *Writer) Spec(s *job.Spec) {
	if !w.measures {
		w.B = slices.Grow(w.B, Size(func(w *Writer) { w.Spec(s) })+maxPrefix)
	}
	w.Text(sName, s.Name)
	w.Text(sUser, s.User)
	w.Text(sQueue, s.Queue)
	w.Number(sPriority, int64(s.Priority))
	w.Text(sSubmitKey, s.SubmitKey)
	w.Text(sStagingDir, s.StagingDir)
	w.Text(sOutputDir, s.OutputDir)
	for i := range s.Splits {
		w.Message(sSplit, func(w *Writer) { w.split(&s.Splits[i]) })
	}
	w.Number(sReduces, int64(s.Reduces))
	w.Number(sMapAttempts, int64(s.MapAttempts))
	w.Number(sReduceAttempts, int64(s.ReduceAttempts))
	w.Number(sMapFailures, int64(s.MapFailuresPercent))
	w.Number(sReduceFailures, int64(s.ReduceFailuresPercent))
	w.Number(sTrackerFailures, int64(s.TrackerFailures))
	w.Number(sSlowStart, int64(s.SlowStart))
	w.Number(sTaskTimeout, s.TaskTimeout)
	w.Number(sMapMemory, int64(s.MapMemory))
	w.Number(sReduceMemory, int64(s.ReduceMemory))
	w.Number(sMapVCores, int64(s.MapVCores))
	w.Number(sReduceVCores, int64(s.ReduceVCores))
	w.Number(sMapLimit, int64(s.MapLimit))
	w.Number(sReduceLimit, int64(s.ReduceLimit))
	w.Number(sDeadline, s.Deadline)
	w.Number(sSpeculative, speculative(s))
	w.Number(sSkipAfter, int64(s.SkipAfter))
	w.Number(sMapSkip, s.MapSkip)
	w.Number(sReduceSkip, s.ReduceSkip)
	w.Number(sMaxCounters, int64(s.MaxCounters))
	w.Number(sMaxGroups, int64(s.MaxCounterGroups))
	if s.Committer {
		w.Number(sCommitter, 1)
	}
	for _, p := range s.Conf {
		w.Message(sConf, func(w *Writer) {
			w.Text(1, p.Name)
			w.Text(2, p.Value)
		})
	}
}

func speculative(s *job.Spec) (bits int64) {
	if s.MapSpeculative {
		bits |= 1
	}
	if s.ReduceSpeculative {
		bits |= 2
	}
	return bits
}

func (w *Writer) split(s *job.SplitMeta) {
	for _, h := range s.Hosts {
		w.element(splitHost, h)
	}
	w.Number(splitLength, s.Length)
	w.Number(splitOffset, s.Offset)
}

// DecodeSpec decodes a field with a job's specification. It counts the splits first, and stores each
// host name once, because a job can have a million splits.
func DecodeSpec(f Field) (*job.Spec, error) {
	s := &job.Spec{}
	splits := 0
	if err := f.Message(func(f Field) error {
		if f.Num == sSplit {
			splits++
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if splits > 0 {
		s.Splits = make([]job.SplitMeta, 0, splits)
	}
	d := splitReader{names: map[string]string{}}
	return s, f.Message(func(f Field) error { return decodeSpec(f, s, &d) })
}

func decodeSpec(f Field, s *job.Spec, d *splitReader) error {
	switch f.Num {
	case sName:
		return f.Text(&s.Name)
	case sUser:
		return f.Text(&s.User)
	case sQueue:
		return f.Text(&s.Queue)
	case sPriority:
		return Small(f, &s.Priority)
	case sSubmitKey:
		return f.Text(&s.SubmitKey)
	case sStagingDir:
		return f.Text(&s.StagingDir)
	case sOutputDir:
		return f.Text(&s.OutputDir)
	case sSplit:
		s.Splits = append(s.Splits, job.SplitMeta{})
		return d.decode(f, &s.Splits[len(s.Splits)-1])
	case sReduces:
		return Small(f, &s.Reduces)
	case sMapAttempts:
		return Small(f, &s.MapAttempts)
	case sReduceAttempts:
		return Small(f, &s.ReduceAttempts)
	case sMapFailures:
		return Small(f, &s.MapFailuresPercent)
	case sReduceFailures:
		return Small(f, &s.ReduceFailuresPercent)
	case sTrackerFailures:
		return Small(f, &s.TrackerFailures)
	case sSlowStart:
		return Small(f, &s.SlowStart)
	case sTaskTimeout:
		return f.Number(&s.TaskTimeout)
	case sMapMemory:
		return Small(f, &s.MapMemory)
	case sReduceMemory:
		return Small(f, &s.ReduceMemory)
	case sMapVCores:
		return Small(f, &s.MapVCores)
	case sReduceVCores:
		return Small(f, &s.ReduceVCores)
	case sMapLimit:
		return Small(f, &s.MapLimit)
	case sReduceLimit:
		return Small(f, &s.ReduceLimit)
	case sDeadline:
		return f.Number(&s.Deadline)
	case sSpeculative:
		var bits int64
		err := f.Number(&bits)
		s.MapSpeculative, s.ReduceSpeculative = bits&1 != 0, bits&2 != 0
		return err
	case sSkipAfter:
		return Small(f, &s.SkipAfter)
	case sMapSkip:
		return f.Number(&s.MapSkip)
	case sReduceSkip:
		return f.Number(&s.ReduceSkip)
	case sMaxCounters:
		return Small(f, &s.MaxCounters)
	case sMaxGroups:
		return Small(f, &s.MaxCounterGroups)
	case sCommitter:
		var on int64
		err := f.Number(&on)
		s.Committer = on != 0
		return err
	case sConf:
		s.Conf = append(s.Conf, job.Property{})
		return f.Message(func(f Field) error { return decodeProperty(f, &s.Conf[len(s.Conf)-1]) })
	}
	return nil
}

func decodeProperty(f Field, p *job.Property) error {
	switch f.Num {
	case 1:
		return f.Text(&p.Name)
	case 2:
		return f.Text(&p.Value)
	}
	return nil
}

// splitReader decodes splits.
type splitReader struct {
	names map[string]string // the host names so far
	hosts []string          // of the current split
}

func (d *splitReader) decode(f Field, s *job.SplitMeta) error {
	d.hosts = d.hosts[:0]
	err := f.Message(func(f Field) error { return d.field(f, s) })
	if len(d.hosts) > 0 {
		s.Hosts = slices.Clone(d.hosts)
	}
	return err
}

func (d *splitReader) field(f Field, s *job.SplitMeta) error {
	switch f.Num {
	case splitHost:
		name, known := d.names[string(f.bytes)]
		if !known || f.typ != protowire.BytesType {
			if err := f.Text(&name); err != nil {
				return err
			}
			d.names[name] = name
		}
		d.hosts = append(d.hosts, name)
	case splitLength:
		return f.Number(&s.Length)
	case splitOffset:
		return f.Number(&s.Offset)
	}
	return nil
}
