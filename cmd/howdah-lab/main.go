// Command howdah-lab is the laboratory: the simulator and the experiments of the papers. howdah sim and howdah experiment
// start it; it must lie beside howdah.
package main

import (
	"os"

	"github.com/howdah/howdah/cli/lab"
)

func main() { os.Exit(lab.Main(os.Args[1:])) }
