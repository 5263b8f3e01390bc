package pool

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Keys of the Fair Scheduler, as Hadoop spells them.
const (
	KeyFile               = "mapred.fairscheduler.allocation.file"
	KeyPreemption         = "mapred.fairscheduler.preemption"
	KeyPreemptionOnlyLog  = "mapred.fairscheduler.preemption.only.log"
	KeyPreemptionInterval = "mapred.fairscheduler.preemption.interval"
	KeyUpdateInterval     = "mapred.fairscheduler.update.interval"
	KeySizeBasedWeight    = "mapred.fairscheduler.sizebasedweight"
	KeyAssignMultiple     = "mapred.fairscheduler.assignmultiple"
	KeyMapsPerBeat        = "mapred.fairscheduler.assignmultiple.maps"
	KeyReducesPerBeat     = "mapred.fairscheduler.assignmultiple.reduces"
	KeyLoadMaxDiff        = "mapred.fairscheduler.load.max.diff"
	KeyLocalityDelay      = "mapred.fairscheduler.locality.delay"
	KeyNodeDelay          = "mapred.fairscheduler.locality.delay.node"
	KeyRackDelay          = "mapred.fairscheduler.locality.delay.rack"
	KeyWeightAdjuster     = "mapred.fairscheduler.weightadjuster"
	KeyBoosterFactor      = "mapred.newjobweightbooster.factor"
	KeyBoosterDuration    = "mapred.newjobweightbooster.duration"
)

// DefaultFile is read if the key names no other.
const DefaultFile = "fair-scheduler.xml"

// Settings are what pools are scheduled by: the allocation file and the keys. They are not changed once they are in use.
type Settings struct {
	Pools        *Allocations
	PoolProperty string
	Undeclared   bool // pools that the file does not name are as good as others

	Preemption         bool
	PreemptionOnlyLog  bool
	PreemptionInterval int64 // ms between two checks
	UpdateInterval     int64 // ms between two computations of shares

	SizeBasedWeight bool
	BoosterFactor   float64 // weight of a new job; 1 = none
	BoosterDuration int64   // ms that a job is new

	AssignMultiple bool
	PerBeat        [2]int32 // most maps and reduces given in one beat
	LoadMaxDiff    float64  // how far a tracker's load may be above the cluster's

	NodeDelay int64 // ms that a job waits for a node with its data; auto = from the heartbeat
	RackDelay int64 // ms more for a rack

	heartbeatMin       int64
	heartbeatPerSecond int64
}

// auto as a delay stands for min(15 s, 1.5 x heartbeat interval).
const auto int64 = -1

// Read reads keys and file. An error is of kind Config and names the key, or file and line.
func Read(s scheduler.Setup) (*Settings, error) {
	r := reader{conf.Reader{Conf: s.Conf}}
	x := &Settings{
		PoolProperty:       property1(s.Conf, KeyPoolProperty, "user.name"),
		Undeclared:         r.Bool(KeyUndeclared, true),
		Preemption:         r.Bool(KeyPreemption, false),
		PreemptionOnlyLog:  r.Bool(KeyPreemptionOnlyLog, false),
		PreemptionInterval: r.ms(KeyPreemptionInterval, 15_000, 1),
		UpdateInterval:     r.ms(KeyUpdateInterval, 500, 1),
		SizeBasedWeight:    r.Bool(KeySizeBasedWeight, false),
		AssignMultiple:     r.Bool(KeyAssignMultiple, true),
		PerBeat:            [2]int32{r.cap(KeyMapsPerBeat), r.cap(KeyReducesPerBeat)},
		LoadMaxDiff:        r.Float(KeyLoadMaxDiff, 0, 0, 1),
		heartbeatMin:       r.Int("howdah.jobtracker.heartbeat.interval.min", 300, 1, 60_000),
		heartbeatPerSecond: r.Int("mapreduce.jobtracker.heartbeats.in.second", 100, 1, 100_000),
	}
	both := r.delay(KeyLocalityDelay, auto)
	x.NodeDelay, x.RackDelay = r.delay(KeyNodeDelay, both), r.delay(KeyRackDelay, both)
	r.booster(x)
	if r.Err != nil {
		return nil, r.Err
	}
	var err error
	if x.Pools, err = readFile(s); err != nil {
		return nil, err
	}
	return x, x.checkRedirects(s.File(KeyFile).Path)
}

// checkRedirects refuses a redirection to a pool that the file does not name where such pools are not allowed. Elsewhere, as
// in Facebook's version, it makes the pool.
func (s *Settings) checkRedirects(file string) error {
	if s.Undeclared {
		return nil
	}
	p := s.Pools.strayRedirect()
	if p == nil {
		return nil
	}
	return failure.New(failure.Config, "read pools", fmt.Sprintf("%s:%d", file, p.line),
		fmt.Errorf("pool %s is redirected to %s, which the file does not name, and %s=false", p.Name, p.Redirect, KeyUndeclared)).
		Fix(fmt.Sprintf("add <pool name=%q/>", p.Redirect))
}

// readFile reads the allocation file. One that the key names must be there.
func readFile(s scheduler.Setup) (*Allocations, error) {
	f := s.File(KeyFile)
	if f.Data == nil && f.Path != "" {
		if named, _, _ := s.Conf.Lookup(KeyFile); named != "" && named != DefaultFile {
			return nil, s.Conf.Refuse(KeyFile, errors.New("no such file"))
		}
	}
	return Parse(f, s.Slots)
}

// Delays gives how long a job waits for a local map and then for one in the rack.
func (s *Settings) Delays(trackers int32) (node, rack int64) {
	return s.delay(s.NodeDelay, trackers), s.delay(s.RackDelay, trackers)
}

func (s *Settings) delay(ms int64, trackers int32) int64 {
	if ms != auto {
		return ms
	}
	interval := max(s.heartbeatMin, 1000*int64(trackers)/s.heartbeatPerSecond)
	return min(15_000, interval*3/2)
}

// property1 reads a setting that is the name of a property.
func property1(c *conf.Config, key, def string) string {
	if v := c.Get(key); v != "" {
		return v
	}
	return def
}

// reader reads what is said in more than one way here.
type reader struct{ conf.Reader }

func (r *reader) ms(key string, def, min int64) int64 {
	d, err := r.Conf.Duration(key, time.Duration(def)*time.Millisecond, time.Millisecond, time.Duration(min)*time.Millisecond, 24*time.Hour)
	r.Note(err)
	return int64(d / time.Millisecond)
}

// cap reads how many tasks of a type a beat may give; -1 = as many as there are slots.
func (r *reader) cap(key string) int32 {
	n := r.Int(key, -1, -1, math.MaxInt32)
	if n < 0 {
		return NoLimit
	}
	return int32(n)
}

// delay reads a locality delay; a negative one is computed.
func (r *reader) delay(key string, def int64) int64 {
	return r.Int(key, def, -1, 86_400_000)
}

// weightBooster is the one weight adjuster that Hadoop has.
const weightBooster = "org.apache.hadoop.mapred.NewJobWeightBooster"

func (r *reader) booster(s *Settings) {
	s.BoosterFactor = 1
	factor, duration := r.Float(KeyBoosterFactor, 3, 0.001, 1000), r.ms(KeyBoosterDuration, 300_000, 0)
	switch r.Conf.Get(KeyWeightAdjuster) {
	case "":
	case weightBooster:
		s.BoosterFactor, s.BoosterDuration = factor, duration
	default:
		r.Note(r.Conf.Refuse(KeyWeightAdjuster, errors.New("no such weight adjuster")).Fix("there is " + weightBooster))
	}
}

// Single gives settings by which all jobs share one pool and nobody waits for local data.
func Single(m Mode) *Settings {
	a := noAllocations()
	a.Default.Mode = m
	return &Settings{Pools: a, UpdateInterval: 500, PreemptionInterval: 15_000, BoosterFactor: 1, AssignMultiple: true, PerBeat: [2]int32{NoLimit, NoLimit}}
}
