// Package labmain builds a howdah-lab with a program's own parts: schedulers, policies that weigh
// MR-clusters, estimators of MROrchestrator, and workloads. Scenarios and the commands of howdah sim
// can name these parts like the built-in ones:
//
//	func main() {
//		labmain.Main(scenario.Parts{Schedulers: []catalog.Entry{{Name: "sjf", New: newShortestFirst}}})
//	}
//
// The command "./program scenario run FILE" runs a scenario, and "./program sim compare TRACE
// --scheduler fifo,sjf" compares schedulers. For real runs, the howdah executable must be in the
// program's directory. They start "./program jobtracker" (package jobtracker/jobtrackermain) for the
// program's schedulers, "./program tasktracker" (package tasktracker/tasktrackermain) for its
// estimators, and "./program mrcluster manager" (package mrcluster/managermain) for its weighting
// policies, unless Parts names other programs.
package labmain

import (
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/internal/cli/lab"
	"github.com/howdah/howdah/jobtracker/jobtrackermain"
	"github.com/howdah/howdah/mrcluster/managermain"
	"github.com/howdah/howdah/tasktracker/tasktrackermain"
)

// Main runs the command in the program's arguments and exits.
func Main(parts scenario.Parts) {
	switch daemon(os.Args[1:], &parts) {
	case jobTracker:
		jobtrackermain.Main(parts.Schedulers)
	case taskTracker:
		tasktrackermain.Main(parts.Estimators...)
	case manager:
		managermain.Main(parts.Weights...)
	}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	os.Exit(lab.Main(os.Args[1:], parts.With(self)))
}

// The commands of daemons.
const (
	jobTracker  = "jobtracker"
	taskTracker = "tasktracker"
	manager     = "mrcluster"
)

// daemon returns the command in args if it starts a daemon with some of the parts. Otherwise it returns
// "".
func daemon(args []string, parts *scenario.Parts) string {
	_, rest, err := conf.ParseGeneric(args)
	if err != nil || len(rest) == 0 {
		return ""
	}
	own := map[string]bool{jobTracker: len(parts.Schedulers) > 0, taskTracker: len(parts.Estimators) > 0,
		manager: len(parts.Weights) > 0}
	if own[rest[0]] {
		return rest[0]
	}
	return ""
}
