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
// program's directory. Parts.JobTracker must then name a JobTracker that knows the schedulers (package
// jobtracker/jobtrackermain), and Parts.Manager a manager that knows the weighting policies (package
// mrcluster/managermain).
package labmain

import (
	"os"

	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/internal/cli/lab"
)

// Main runs the command in the program's arguments and exits.
func Main(parts scenario.Parts) { os.Exit(lab.Main(os.Args[1:], parts)) }
