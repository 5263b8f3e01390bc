// Command howdah-lab contains the simulator, scenarios, and the papers' experiments. The commands
// howdah sim, howdah scenario, and howdah experiment start it. It must be in the same directory as
// howdah.
package main

import (
	"os"

	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/internal/cli/lab"
)

func main() { os.Exit(lab.Main(os.Args[1:], scenario.Parts{})) }
