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

// Display says how a client shows its jobs. The zero value shows progress, failed attempts and counters.
type Display struct {
	Quiet           bool // results and errors only
	JSON            bool // an object for each job on standard output, everything else on standard error
	KillOnInterrupt bool // Ctrl-C kills a cluster's job
	Background      bool // a cluster's jobs are submitted and not waited for
}

// envDisplay hands a Display to a program that `howdah run` turns into.
const envDisplay = "HOWDAH_DISPLAY"

// Environ gives the environment with this Display in it.
func (d Display) Environ() []string {
	var words []string
	for word, on := range map[string]bool{"quiet": d.Quiet, "json": d.JSON, "kill-on-interrupt": d.KillOnInterrupt} {
		if on {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return append(os.Environ(), envDisplay+"="+strings.Join(words, " "))
}

// DisplayOfEnvironment reads what Environ wrote; the zero value if nobody did.
func DisplayOfEnvironment() Display {
	words := strings.Fields(os.Getenv(envDisplay))
	has := func(word string) bool { return slices.Contains(words, word) }
	return Display{Quiet: has("quiet"), JSON: has("json"), KillOnInterrupt: has("kill-on-interrupt")}
}

// Log is where goes what is only nice to know: to errOut, or nowhere.
func (d Display) Log(errOut io.Writer) io.Writer {
	if d.Quiet {
		return io.Discard
	}
	return errOut
}

// Run runs an application where c says. Results go to out, everything else to errOut. Told tells of its error whether the
// user has seen it.
func (d Display) Run(ctx context.Context, app *mapreduce.App, args []string, c *conf.Config, fs dfs.Resolver, out, errOut io.Writer) error {
	o := Config{Conf: c, FS: fs, Stdout: out, Log: errOut, KillOnInterrupt: d.KillOnInterrupt, Background: d.Background}
	switch {
	case d.JSON:
		o.Stdout = errOut // standard output is for the objects alone
	case !d.Quiet:
		o.Watcher = watcherFor(errOut)
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
