// Command howdah-lab contains the simulator, scenarios, and the papers' experiments. The commands
// howdah sim, howdah scenario, and howdah experiment start it. It must be in the same directory as
// howdah.
package main

import (
	"github.com/howdah/howdah/experiments/labmain"
	"github.com/howdah/howdah/experiments/scenario"
)

func main() { labmain.Main(scenario.Parts{}) }
