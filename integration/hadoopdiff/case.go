package hadoopdiff

import (
	"strings"
)

// Case is one job, or one driver with several, that both sides run.
//
// In Args, Ours, Theirs and Set, {in} stands for the folder that In filled, {out} for the output of the side, and {dir} for a
// folder that both sides share.
type Case struct {
	Name string
	In   Input
	Args []string // program and arguments of both sides

	Ours   []string // instead of Args here
	Theirs []string // instead of Args there
	Class  string   // Hadoop's main class; "" = the examples' driver
	Binary string   // our program; "" = bin/howdah

	Set []string // key=value of both sides

	Loose    bool     // values of equal keys may come in any order
	Anyhow   []string // counters that the input does not determine in this job
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

func (p places) fill(args []string) []string {
	r := strings.NewReplacer("{in}", p.in, "{out}", p.out, "{dir}", p.dir)
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = r.Replace(a)
	}
	return out
}

// settings puts -D options behind the name of a program, where Hadoop's examples want them; Streaming has no name.
func (c *Case) withSettings(args []string, named bool) []string {
	var out []string
	if named {
		out, args = append(out, args[0]), args[1:]
	}
	for _, s := range c.Set {
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
	class = c.Class
	if class == examples {
		class = "org.apache.hadoop.examples.ExampleDriver"
	}
	return class, p.fill(c.withSettings(args, class != streaming))
}

// ours gives the arguments of bin/howdah, or of Binary.
func (c *Case) ours(p places) []string {
	args := c.Args
	if c.Ours != nil {
		args = c.Ours
	}
	switch {
	case c.Class == streaming:
		return append([]string{"streaming"}, p.fill(c.withSettings(args, false))...)
	case c.Binary != "":
		return p.fill(c.withSettings(args, true))
	}
	return append([]string{"run"}, p.fill(c.withSettings(args, true))...)
}
