//go:build integration

package hadoopdiff

import (
	"path/filepath"
	"strings"
)

// Case is one job, or one driver with several, that both sides run.
//
// In arguments {in} stands for the folder that In filled, {out} for the output of the side, and {dir} for a
// folder that both sides share.
type Case struct {
	Name string
	In   Input
	Args []string // program and arguments of both sides

	Ours     []string // instead of Args here
	Theirs   []string // instead of Args there
	Class    string   // Hadoop's main class; "" = the examples' driver
	Authored bool     // our program is testdata/authored instead of bin/howdah

	Set []string // key=value of both sides

	// Before runs first and leaves {made}, which both sides read. Its arguments are like Args.
	Before     []string
	BeforeOurs bool // we run it, not Hadoop

	Cluster  bool     // on the bench's minicluster as well
	Loose    bool     // values of equal keys may come in any order
	KeyEnd   string   // where a line's key ends; "" = at the first tab
	Shuffled bool     // lines may come in any order
	Anyhow   []string // counters that the input does not determine in this job
	Random   bool     // what is written is random: only the names are compared
	Beside   []string // files that are left in only one of the outputs
	Fails    bool     // both sides refuse the job or fail in it
	Printed  string   // a regular expression; what it matches in standard output is equal
	NoOutput bool     // nothing is written to {out}
}

// The main classes of Hadoop's side.
const (
	examples  = "" // the default
	twins     = "Twins"
	streaming = "org.apache.hadoop.streaming.HadoopStreaming"
)

// words splits arguments that hold no blanks.
func words(s string) []string { return strings.Fields(s) }

// places are the folders of one run of a case.
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

// withSettings puts -D options behind the name of a program, where Hadoop's examples want them; Streaming has no name.
func withSettings(args, set []string, named bool) (out []string) {
	if named {
		out, args = append(out, args[0]), args[1:]
	}
	for _, s := range set {
		out = append(out, "-D", s)
	}
	return append(out, args...)
}

// theirs gives Hadoop's main class and its arguments.
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

// ours gives the arguments of bin/howdah, or of testdata/authored.
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

// settings gives what stands behind -D. Hadoop's local runner has one map as the hint for jobs of old classes, whatever one says.
func (c *Case) settings() []string {
	if c.Class == streaming {
		return append([]string{"mapreduce.job.maps=1"}, c.Set...)
	}
	return c.Set
}
