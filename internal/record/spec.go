package record

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/internal/pb"
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

// Spec appends a job's specification unless *s is nil, or reads one into a new *s. It first grows
// the record by the size of the whole specification, because growing it in steps would leave
// several times that size to the garbage collector. Before it reads the splits, it counts them. It
// stores each host name once, because a job can have a million splits.
func (c *Codec) Spec(num protowire.Number, s **job.Spec) {
	var d splits
	if c.at(num, protowire.BytesType, "message") {
		*s = &job.Spec{}
		n := 0
		for r := pb.Read(c.in.Bytes()); r.Next(); {
			if r.Num == sSplit {
				n++
			}
		}
		if n > 0 {
			(*s).Splits = make([]job.SplitMeta, 0, n)
		}
		d.names = map[string]string{}
	}
	if *s != nil {
		c.Message(num, func(c *Codec) { c.spec(*s, &d) })
	}
}

func (c *Codec) spec(s *job.Spec, d *splits) {
	if c.mode == appends {
		c.b = slices.Grow(c.b, Size(func(c *Codec) { c.spec(s, d) })+maxPrefix)
	}
	c.Text(sName, &s.Name)
	c.Text(sUser, &s.User)
	c.Text(sQueue, &s.Queue)
	Small(c, sPriority, &s.Priority)
	c.Text(sSubmitKey, &s.SubmitKey)
	c.Text(sStagingDir, &s.StagingDir)
	c.Text(sOutputDir, &s.OutputDir)
	List(c, sSplit, &s.Splits, d.split)
	Small(c, sReduces, &s.Reduces)
	Small(c, sMapAttempts, &s.MapAttempts)
	Small(c, sReduceAttempts, &s.ReduceAttempts)
	Small(c, sMapFailures, &s.MapFailuresPercent)
	Small(c, sReduceFailures, &s.ReduceFailuresPercent)
	Small(c, sTrackerFailures, &s.TrackerFailures)
	Small(c, sSlowStart, &s.SlowStart)
	c.Number(sTaskTimeout, &s.TaskTimeout)
	Small(c, sMapMemory, &s.MapMemory)
	Small(c, sReduceMemory, &s.ReduceMemory)
	Small(c, sMapVCores, &s.MapVCores)
	Small(c, sReduceVCores, &s.ReduceVCores)
	Small(c, sMapLimit, &s.MapLimit)
	Small(c, sReduceLimit, &s.ReduceLimit)
	c.Number(sDeadline, &s.Deadline)
	bits := speculative(s)
	if c.Number(sSpeculative, &bits); c.Reads() {
		s.MapSpeculative, s.ReduceSpeculative = bits&1 != 0, bits&2 != 0
	}
	Small(c, sSkipAfter, &s.SkipAfter)
	c.Number(sMapSkip, &s.MapSkip)
	c.Number(sReduceSkip, &s.ReduceSkip)
	Small(c, sMaxCounters, &s.MaxCounters)
	Small(c, sMaxGroups, &s.MaxCounterGroups)
	c.Bool(sCommitter, &s.Committer)
	List(c, sConf, &s.Conf, func(c *Codec, p *job.Property) {
		c.Text(1, &p.Name)
		c.Text(2, &p.Value)
	})
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

// splits is the state of reading a specification's splits.
type splits struct {
	names map[string]string // the host names so far
	hosts []string          // of the current split
}

func (d *splits) split(c *Codec, s *job.SplitMeta) {
	if !c.Reads() {
		for _, h := range s.Hosts {
			c.element(splitHost, h)
		}
	}
	d.hosts = d.hosts[:0]
	for c.at(splitHost, protowire.BytesType, "text") {
		name, known := d.names[string(c.in.Bytes())]
		if !known {
			name = string(c.in.Bytes())
			d.names[name] = name
		}
		d.hosts = append(d.hosts, name)
		c.next()
	}
	if len(d.hosts) > 0 {
		s.Hosts = append(s.Hosts, d.hosts...)
	}
	c.Number(splitLength, &s.Length)
	c.Number(splitOffset, &s.Offset)
}
