//go:build integration

package hadoopdiff

import (
	"path/filepath"
	"strings"
)

// Case is a job, or a program that runs several jobs, to run on both sides.
//
// In arguments, {in} is the folder with the files of In, {out} is the side's output, and {dir} is a
// folder that both sides share.
type Case struct {
	Name string
	In   Input
	Args []string // program and arguments for both sides

	Ours     []string // arguments for howdah instead of Args
	Theirs   []string // arguments for Hadoop instead of Args
	Class    string   // Hadoop's main class; "" = the examples' driver
	Authored bool     // howdah's program is testdata/authored instead of bin/howdah

	Set []string // key=value for both sides

	// Before contains the arguments of a job that runs first and creates {made}, which both sides
	// read. They have the same form as Args.
	Before     []string
	BeforeOurs bool // howdah, instead of Hadoop, runs Before

	Cluster  bool     // also run the case on the bench's minicluster
	Loose    bool     // values of equal keys may be in any order
	KeyEnd   string   // separator after a line's key; "" = tab
	Shuffled bool     // lines may be in any order
	Anyhow   []string // counters that may differ
	Random   bool     // the output is random, so only file names are compared
	Beside   []string // files that only Hadoop's output may contain
	Fails    bool     // the job must fail or be rejected on both sides
	Printed  string   // regular expression; its matches in standard output must be the same on both sides
	NoOutput bool     // the case writes nothing to {out}
}

// Hadoop's main classes.
const (
	examples  = "" // the default
	twins     = "Twins"
	streaming = "org.apache.hadoop.streaming.HadoopStreaming"
)

// words splits s into arguments at white space.
func words(s string) []string { return strings.Fields(s) }

// places contains the folders of one run of a case.
type places struct{ dir, in, out string }

func (p places) made() string { return filepath.Join(p.dir, "made") }

func (p places) fill(args []string) []string {
	r := strings.NewReplacer("{in}", p.in, "{made}", p.made(), "{out}", p.out, "{dir}", p.dir)
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = r.Replace(a)
	}
	return out
}

// withSettings inserts -D options after the program's name, as required by Hadoop's examples. If
// named is not set, args does not start with a name, and the options come first.
func withSettings(args, set []string, named bool) (out []string) {
	if named {
		out, args = append(out, args[0]), args[1:]
	}
	for _, s := range set {
		out = append(out, "-D", s)
	}
	return append(out, args...)
}

// theirs returns Hadoop's main class and arguments.
func (c *Case) theirs(p places) (class string, args []string) {
	args = c.Args
	if c.Theirs != nil {
		args = c.Theirs
	}
	return mainClass(c.Class), p.fill(withSettings(args, c.settings(), c.Class != streaming))
}

func mainClass(class string) string {
	if class == examples {
		return "org.apache.hadoop.examples.ExampleDriver"
	}
	return class
}

// ours returns the arguments for bin/howdah, or for testdata/authored.
func (c *Case) ours(p places) []string {
	args := c.Args
	if c.Ours != nil {
		args = c.Ours
	}
	all := p.fill(withSettings(args, c.settings(), c.Class != streaming))
	switch {
	case c.Class == streaming:
		return append([]string{"streaming"}, all...)
	case c.Authored:
		return all
	}
	return append([]string{"run"}, all...)
}

// settings returns the case's -D settings. They include one map for Streaming jobs, because these
// use the old API, for which Hadoop's local runner always suggests one map.
func (c *Case) settings() []string {
	if c.Class == streaming {
		return append([]string{"mapreduce.job.maps=1"}, c.Set...)
	}
	return c.Set
}
