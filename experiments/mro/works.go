package mro

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
)

// Bed is the testbed of real runs. Like the paper's thrashing tasks, tasks that lack memory run
// their garbage collectors all the time.
var Bed = Testbed{Nodes: 4, Slots: [2]int32{5, 2}, CPU: 350, Slot: 128, Files: writeText,
	About: "Sessions, whose maps all fill the memory of their slots and differ in size; Join, where two of four maps " +
		"fill that memory; Index, where one of four maps fills it; PiEst, which uses CPU; Wcount, which uses CPU and " +
		"memory and has reduces", Jobs: []Work{
		{"Join", load(7, "live=39m", "live=39m,cpu=120ms,trash=56m", "-skewlive", "0.8", "-seed", "63")},
		{"Sessions", load(7, "live=63m", "live=63m,cpu=120ms,trash=60m", "-skew", "0.1", "-seed", "3")},
		{"Index", load(7, "live=38m", "live=38m,cpu=200ms,trash=50m", "-skewlive", "0.8", "-seed", "18")},
		{"PiEst", func(string) []string { return []string{"pi", "4", "120000000"} }},
		{"Wcount", func(dir string) []string {
			return []string{"wordcount", "-D", fmt.Sprintf("mapreduce.input.fileinputformat.split.maxsize=%d",
				textBlock*textSize/4), "-D", "mapreduce.job.reduces=2", filepath.Join(dir, textFile), filepath.Join(dir, "wcount")}
		}},
	}}

const (
	textFile  = "text"
	textBlock = 8 << 20 // bytes of random words; the text repeats this block
	textSize  = 32      // blocks
)

// load returns the arguments of a loadgen job. Its maps first fetch their data and then work in the
// given number of equal phases.
func load(phases int, fetch, work string, args ...string) func(string) []string {
	profile := fetch + strings.Repeat(";"+work, phases)
	return func(string) []string {
		return append([]string{"loadgen", "-m", "4", "-r", "0", "-steps", "200", "-map", profile}, args...)
	}
}

// writeText writes the input of Wcount. Only a few of its words are frequent.
func writeText(dir string) error {
	path := filepath.Join(dir, textFile)
	f, err := os.Create(path)
	if err != nil {
		return failure.New(failure.IO, "write text", path, err)
	}
	defer f.Close()
	block := lab.Text(rand.New(rand.NewPCG(1, 1)), textBlock)
	for range textSize {
		if _, err := f.Write(block); err != nil {
			return failure.New(failure.IO, "write text", path, err)
		}
	}
	return f.Close()
}
