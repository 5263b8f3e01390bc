package orchestrator

import (
	"errors"

	"github.com/howdah/howdah/conf"
)

// Settings contains a daemon's settings for the orchestrator.
type Settings struct {
	Mode   string // Off, Watch, or On
	Config Config
	// NodeCPU is how much CPU a TaskTracker's node offers its tasks, in thousandths of a core. 0
	// means all CPU that other programs do not use.
	NodeCPU int64
	// HaltGlobal and HaltLocal are file names; "" means no file. While HaltGlobal exists, the
	// JobTracker's manager stops working as if it had died. While HaltLocal exists, the
	// TaskTrackers' managers do the same. Tests use the files to check what happens to limits that
	// are not renewed.
	HaltGlobal, HaltLocal string
}

// The possible values of howdah.orchestrator.
const (
	Off   = "off"
	Watch = "watch" // decide and log, but change nothing
	On    = "on"
)

// percent is one percent in millionths, the unit of Config.
const percent = Million / 100

// FromConf returns the Settings in c. The JobTracker and the TaskTrackers should have the same
// settings. If a setting is invalid, the error contains its key.
func FromConf(c *conf.Config) (Settings, error) {
	r := conf.Reader{Conf: c}
	s := Settings{Mode: conf.Orchestrator.From(&r),
		HaltGlobal: conf.OrchestratorGlobalHaltFile.Get(c), HaltLocal: conf.OrchestratorLocalHaltFile.Get(c)}
	x := &s.Config
	control := conf.OrchestratorControl.From(&r)
	x.Control[CPU], x.Control[Memory] = control != "memory", control != "cpu"
	x.Estimator = conf.OrchestratorEstimator.From(&r)
	x.Sample = conf.OrchestratorSampleMS.From(&r)
	x.Epoch = conf.OrchestratorEpochMS.From(&r)
	x.Window = int(conf.OrchestratorWindow.From(&r))
	x.History = int(conf.OrchestratorHistory.From(&r))
	x.Deviation = conf.OrchestratorDeviation.From(&r) * percent
	x.Straggle = conf.OrchestratorStraggle.From(&r) * percent
	x.Contended = conf.OrchestratorContended.From(&r) * percent
	x.Pressed = conf.OrchestratorPressed.From(&r) * percent
	x.MaxAlpha[CPU] = conf.OrchestratorAlphaCPU.From(&r) * percent
	x.MaxAlpha[Memory] = conf.OrchestratorAlphaMemory.From(&r) * percent
	x.Step = conf.OrchestratorStep.From(&r) * percent
	x.Headroom = conf.OrchestratorHeadroom.From(&r) * percent
	x.Floor = conf.OrchestratorFloorCPU.From(&r) * percent
	x.FloorMemory = conf.OrchestratorFloorMemoryMB.From(&r)
	x.MinChange = conf.OrchestratorChange.From(&r) * percent
	s.NodeCPU = conf.OrchestratorNodeCPU.From(&r)
	x.Lend, x.Coordinate = conf.OrchestratorLend.From(&r), conf.OrchestratorCoordinate.From(&r)
	if r.Err == nil && x.Epoch < x.Sample {
		r.Err = c.Refuse(conf.OrchestratorEpochMS.Name, errors.New("want at least "+conf.OrchestratorSampleMS.Name))
	}
	return s, r.Err
}
