// Command chaosjobs is the program whose jobs TestChaos runs on its cluster.
package main

import (
	"github.com/howdah/howdah"
	"github.com/howdah/howdah/integration/chaos"
)

func main() { howdah.Main(chaos.Programs()...) }
