package orchestrator

import (
	"errors"

	"github.com/howdah/howdah/conf"
)

// Settings are a daemon's: whether shares are moved, and how.
type Settings struct {
	Mode   string // Off, Watch or On
	Config Config
	// NodeCPU is what a TaskTracker's node has for its tasks, in thousandths of a core; 0 = all cores of the machine.
	NodeCPU int64
	// While the file of this name is there, the manager in the JobTracker or those in the TaskTrackers stand still as if they had died;
	// "" = no such file. It is for tests of what becomes of limits that nobody renews.
	HaltGlobal, HaltLocal string
}

// The values of howdah.orchestrator.
const (
	Off   = "off"
	Watch = "watch" // decide, write nothing and change nothing
	On    = "on"
)

const (
	keyMode    = "howdah.orchestrator"
	keyControl = "howdah.orchestrator.control"
	keyMethod  = "howdah.orchestrator.estimator"

	keySample = "howdah.orchestrator.sample.ms"
	keyEpoch  = "howdah.orchestrator.epoch.ms"

	keyHaltGlobal = "howdah.orchestrator.global.halt.file"
	keyHaltLocal  = "howdah.orchestrator.local.halt.file"
)

// FromConf reads the settings; JobTracker and TaskTrackers should have the same. The error names the key.
func FromConf(c *conf.Config) (Settings, error) {
	s := Settings{Mode: c.Get(keyMode), Config: DefaultConfig(), HaltGlobal: c.Get(keyHaltGlobal), HaltLocal: c.Get(keyHaltLocal)}
	x := &s.Config
	switch s.Mode {
	case Off, Watch, On:
	default:
		return s, c.Refuse(keyMode, errors.New("want off, watch or on"))
	}
	switch c.Get(keyControl) {
	case "cpu+memory":
	case "cpu":
		x.Control[Memory] = false
	case "memory":
		x.Control[CPU] = false
	default:
		return s, c.Refuse(keyControl, errors.New("want cpu, memory or cpu+memory"))
	}
	if x.Estimator = c.Get(keyMethod); estimators[x.Estimator] == nil {
		return s, c.Refuse(keyMethod, errors.New("want regression or uniform"))
	}
	r := reader{conf.Reader{Conf: c}}
	r.number(keySample, &x.Sample, 10, day)
	r.number(keyEpoch, &x.Epoch, 20, day)
	r.count("howdah.orchestrator.window", &x.Window, 1, 1000)
	r.count("howdah.orchestrator.history", &x.History, 4, 100_000)
	r.percent("howdah.orchestrator.deviation", &x.Deviation, 0, 100)
	r.percent("howdah.orchestrator.straggle", &x.Straggle, 0, 10_000)
	r.percent("howdah.orchestrator.contended", &x.Contended, 0, 100)
	r.percent("howdah.orchestrator.pressed", &x.Pressed, 0, 100)
	r.percent("howdah.orchestrator.alpha.cpu", &x.MaxAlpha[CPU], 100, 10_000)
	r.percent("howdah.orchestrator.alpha.memory", &x.MaxAlpha[Memory], 100, 10_000)
	r.percent("howdah.orchestrator.step", &x.Step, 0, 1000)
	r.percent("howdah.orchestrator.headroom", &x.Headroom, 0, 100)
	r.percent("howdah.orchestrator.floor.cpu", &x.Floor, 0, 100)
	r.number("howdah.orchestrator.floor.memory.mb", &x.FloorMemory, 1, 1<<20)
	r.percent("howdah.orchestrator.change", &x.MinChange, 0, 100)
	r.number("howdah.orchestrator.node.cpu", &s.NodeCPU, 0, 1_000_000)
	x.Lend, x.Coordinate = r.Bool("howdah.orchestrator.lend", true), r.Bool("howdah.orchestrator.coordinate", true)
	if r.Err == nil && x.Epoch < x.Sample {
		r.Err = c.Refuse(keyEpoch, errors.New("want at least "+keySample))
	}
	if r.Err == nil {
		r.Err = x.Validate()
	}
	return s, r.Err
}

// reader reads into what holds the default.
type reader struct{ conf.Reader }

func (r *reader) number(key string, to *int64, low, high int64) { *to = r.Int(key, *to, low, high) }

func (r *reader) count(key string, to *int, low, high int64) {
	n := int64(*to)
	r.number(key, &n, low, high)
	*to = int(n)
}

// percent reads a share that is written in percent.
func (r *reader) percent(key string, to *int64, low, high int64) {
	const one = Million / 100
	n := *to / one
	r.number(key, &n, low, high)
	*to = n * one
}
