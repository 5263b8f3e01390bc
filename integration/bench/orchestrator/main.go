// Command orchestrator measures the cost of MROrchestrator's managers. There is one manager in the
// JobTracker, and one in each of 24 TaskTrackers, which have 100 tasks each. The cost includes
// access to this machine's control groups and the encoding and decoding of heartbeats.
//
//	make bench-orchestrator
//
// The command runs two benchmarks and needs permission to create control groups. Costs are CPU time
// as a share of one core.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

const nodes = 24

func main() {
	log.SetFlags(0)
	global, err := measure("./jobtracker/daemon", "GlobalManager")
	if err != nil {
		log.Fatal(err)
	}
	local, err := measure("./tasktracker/daemon", "LocalManager")
	if err != nil {
		log.Fatal(err)
	}
	g := global["GlobalManager"]
	if g["ms/detect"] == 0 || local["LocalManager/uniform"]["%core"] == 0 {
		log.Fatal("a benchmark printed nothing: that of TaskTrackers skips if this user may not create control groups")
	}
	fmt.Printf("detection: %.2f ms, wanted at most 5\n", g["ms/detect"])
	for _, e := range []struct {
		name   string
		wanted float64
	}{{"uniform", 1}, {"regression", 2}} {
		l := nodes * local["LocalManager/"+e.name]["%core"]
		fmt.Printf("%-10s: JobTracker %.2f%% + %d TaskTrackers %.2f%% = %.2f%% of a core, wanted below %g%%\n", e.name,
			g["%core"], nodes, l, g["%core"]+l, e.wanted)
	}
}

var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// measure runs the benchmarks three times. It returns the minimum of each number, by name and unit,
// because larger numbers are due to other processes.
func measure(folder, name string) (map[string]map[string]float64, error) {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", name, "-benchtime", "2s", "-count", "3", folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	least := map[string]map[string]float64{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		m := line.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		if least[m[1]] == nil {
			least[m[1]] = map[string]float64{}
		}
		for _, f := range regexp.MustCompile(`([\d.]+) (\S+)`).FindAllStringSubmatch(m[2], -1) {
			v, err := strconv.ParseFloat(f[1], 64)
			if old, ok := least[m[1]][f[2]]; err == nil && (!ok || v < old) {
				least[m[1]][f[2]] = v
			}
		}
	}
	return least, nil
}
