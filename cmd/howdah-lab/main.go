// Command howdah-lab contains the simulator and the papers' experiments. The commands howdah sim
// and howdah experiment start it. It must be in the same directory as howdah.
package main

import (
	"os"

	"github.com/howdah/howdah/internal/cli/lab"
)

func main() { os.Exit(lab.Main(os.Args[1:])) }
