// Command chaosjobs is the program whose jobs run on the cluster of TestChaos.
package main

import (
	"github.com/howdah/howdah"
	"github.com/howdah/howdah/integration/chaos"
)

func main() { howdah.Main(chaos.Programs()...) }
