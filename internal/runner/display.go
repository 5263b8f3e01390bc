package runner

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/mapreduce"
)

// Display configures the output of a client that runs jobs. The zero value shows progress, failed
// attempts, and counters.
type Display struct {
	Quiet           bool // show only results and errors
	JSON            bool // print a JSON object for each job to standard output, and other output to standard error
	KillOnInterrupt bool // kill a cluster job on Ctrl-C
	AllCounters     bool // on a terminal, show all counters of small jobs, too
	Background      bool // submit cluster jobs without waiting for them to end
}

// envDisplay is the name of the environment variable that passes a Display to a program that
// `howdah run` starts.
const envDisplay = "HOWDAH_DISPLAY"

// Environ returns this process's environment, with a variable added that contains all settings of d
// except Background.
func (d Display) Environ() []string {
	var words []string
	for word, on := range map[string]bool{"quiet": d.Quiet, "json": d.JSON, "kill-on-interrupt": d.KillOnInterrupt,
		"all-counters": d.AllCounters} {
		if on {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return append(os.Environ(), envDisplay+"="+strings.Join(words, " "))
}

// DisplayOfEnvironment returns the Display that Environ added to the environment. If there is none,
// it returns the zero value.
func DisplayOfEnvironment() Display {
	words := strings.Fields(os.Getenv(envDisplay))
	has := func(word string) bool { return slices.Contains(words, word) }
	return Display{Quiet: has("quiet"), JSON: has("json"), KillOnInterrupt: has("kill-on-interrupt"),
		AllCounters: has("all-counters")}
}

// Log returns the writer for optional messages. It is io.Discard in quiet mode.
func (d Display) Log(errOut io.Writer) io.Writer {
	if d.Quiet {
		return io.Discard
	}
	return errOut
}

// Run runs an application on the cluster that c names, or in this process. It writes results to out
// and all other output to errOut. With JSON, out receives only the JSON objects. Told reports
// whether the user has already seen Run's error.
func (d Display) Run(ctx context.Context, app *mapreduce.App, args []string, c *conf.Config, fs dfs.Resolver,
	out, errOut io.Writer) error {
	o := Config{Conf: c, FS: fs, Stdout: out, Log: errOut, KillOnInterrupt: d.KillOnInterrupt, Background: d.Background}
	switch {
	case d.JSON:
		o.Stdout = errOut // standard output is only for the JSON objects
	case !d.Quiet:
		o.Watcher = watcherFor(errOut, d.AllCounters)
	}
	r, err := New(o)
	if err != nil {
		return err
	}
	if d.JSON {
		r = &jsonRunner{r, out}
	}
	return app.Run(ctx, r, args)
}
