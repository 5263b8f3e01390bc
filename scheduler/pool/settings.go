package pool

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// DefaultFile is the name of the allocation file if the configuration does not name one.
const DefaultFile = "fair-scheduler.xml"

// Settings holds the allocation file and the settings of the Fair Scheduler. Do not change it once
// in use.
type Settings struct {
	Pools        *Allocations
	PoolProperty string // job property that contains the pool, unless the job sets conf.FairSchedulerPool
	Undeclared   bool   // allow pools that the file does not list

	Preemption         bool
	PreemptionOnlyLog  bool  // kill nothing
	PreemptionInterval int64 // interval between checks for preemption, in ms
	UpdateInterval     int64 // interval between updates of shares, in ms

	SizeBasedWeight bool
	BoosterFactor   float64 // factor for the weight of a new job; 1 = no boost
	BoosterDuration int64   // time for which a job is new, in ms

	AssignMultiple bool
	PerBeat        [2]int32 // maximum number of maps and of reduces per heartbeat
	LoadMaxDiff    float64  // how far a tracker's load may exceed the cluster's, as a fraction of its slots

	NodeDelay int64 // wait for a node with the data, in ms, or auto
	RackDelay int64 // additional wait for a rack, in ms, or auto

	heartbeatMin       int64
	heartbeatPerSecond int64
}

// auto is a delay of min(15 s, 1.5 x heartbeat interval).
const auto int64 = -1

// Read reads the settings and the allocation file. Errors are of kind Config and name the key, or
// the file and line.
func Read(s scheduler.Setup) (*Settings, error) {
	r := reader{conf.Reader{Conf: s.Conf}}
	x := &Settings{
		PoolProperty:       conf.FairSchedulerPoolNameProperty.Get(s.Conf),
		Undeclared:         conf.FairSchedulerAllowUndeclaredPools.From(&r),
		Preemption:         conf.FairSchedulerPreemption.From(&r),
		PreemptionOnlyLog:  conf.FairSchedulerPreemptionOnlyLog.From(&r),
		PreemptionInterval: r.ms(&conf.FairSchedulerPreemptionInterval),
		UpdateInterval:     r.ms(&conf.FairSchedulerUpdateInterval),
		SizeBasedWeight:    conf.FairSchedulerSizeBasedWeight.From(&r),
		AssignMultiple:     conf.FairSchedulerAssignMultiple.From(&r),
		PerBeat: [2]int32{r.cap(&conf.FairSchedulerAssignMultipleMaps),
			r.cap(&conf.FairSchedulerAssignMultipleReduces)},
		LoadMaxDiff:        conf.FairSchedulerLoadMaxDiff.From(&r),
		heartbeatMin:       conf.JobTrackerHeartbeatIntervalMin.From(&r),
		heartbeatPerSecond: conf.JobTrackerHeartbeatsInSecond.From(&r),
	}
	both := r.delay(&conf.FairSchedulerLocalityDelay, auto)
	x.NodeDelay = r.delay(&conf.FairSchedulerLocalityDelayNode, both)
	x.RackDelay = r.delay(&conf.FairSchedulerLocalityDelayRack, both)
	r.booster(x)
	if r.Err != nil {
		return nil, r.Err
	}
	var err error
	if x.Pools, err = readFile(s); err != nil {
		return nil, err
	}
	return x, x.checkRedirects(s.File(conf.FairSchedulerAllocationFile.Name).Path)
}

// checkRedirects rejects redirections to unlisted pools, except DefaultName, if such pools are not
// allowed. If they are allowed, a redirection creates the pool, as in Facebook's version.
func (s *Settings) checkRedirects(file string) error {
	if s.Undeclared {
		return nil
	}
	p := s.Pools.strayRedirect()
	if p == nil {
		return nil
	}
	return failure.New(failure.Config, "read pools", fmt.Sprintf("%s:%d", file, p.line),
		fmt.Errorf("pool %s is redirected to %s, which is not in the file, and %s=false", p.Name, p.Redirect,
			conf.FairSchedulerAllowUndeclaredPools.Name)).
		Fix(fmt.Sprintf("add <pool name=%q/>", p.Redirect))
}

// readFile reads the allocation file. A missing file is an error only if
// conf.FairSchedulerAllocationFile names a file other than DefaultFile.
func readFile(s scheduler.Setup) (*Allocations, error) {
	f := s.File(conf.FairSchedulerAllocationFile.Name)
	if f.Data == nil && f.Path != "" {
		if named, _, _ := s.Conf.Lookup(conf.FairSchedulerAllocationFile.Name); named != "" && named != DefaultFile {
			return nil, s.Conf.Refuse(conf.FairSchedulerAllocationFile.Name, errors.New("no such file"))
		}
	}
	return Parse(f, s.Slots)
}

// Delays returns how long a job waits for a node with its data, and how long it then waits for a
// rack, in ms.
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

// A reader is a conf.Reader that also reads settings with special values.
type reader struct{ conf.Reader }

func (r *reader) ms(key *conf.Duration) int64 { return key.From(r).Milliseconds() }

// cap reads how many maps, or how many reduces, one heartbeat may assign. -1 means no limit.
func (r *reader) cap(key *conf.Int) int32 {
	n := key.From(r)
	if n < 0 {
		return NoLimit
	}
	return int32(n)
}

// delay reads a locality delay in ms, or auto. If the key is not set, it returns def.
func (r *reader) delay(key *conf.Int, def int64) int64 {
	ms, err := key.GetOr(r.Conf, def)
	r.Note(err)
	return ms
}

// weightBooster is Hadoop's only weight adjuster.
const weightBooster = "org.apache.hadoop.mapred.NewJobWeightBooster"

func (r *reader) booster(s *Settings) {
	s.BoosterFactor = 1
	factor, duration := conf.NewJobWeightBoosterFactor.From(r), r.ms(&conf.NewJobWeightBoosterDuration)
	switch conf.FairSchedulerWeightAdjuster.Get(r.Conf) {
	case "":
	case weightBooster:
		s.BoosterFactor, s.BoosterDuration = factor, duration
	default:
		r.Note(r.Conf.Refuse(conf.FairSchedulerWeightAdjuster.Name, errors.New("no such weight adjuster")).Fix("use " +
			weightBooster))
	}
}

// Single returns settings with a single pool for all jobs, without delay scheduling or preemption.
func Single(m Mode) *Settings {
	a := noAllocations()
	a.Default.Mode = m
	return &Settings{Pools: a, UpdateInterval: conf.FairSchedulerUpdateInterval.BuiltIn().Milliseconds(),
		PreemptionInterval: conf.FairSchedulerPreemptionInterval.BuiltIn().Milliseconds(), BoosterFactor: 1,
		AssignMultiple: conf.FairSchedulerAssignMultiple.BuiltIn(), PerBeat: [2]int32{NoLimit, NoLimit}}
}
