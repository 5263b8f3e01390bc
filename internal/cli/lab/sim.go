package lab

import (
	"fmt"
	"os"
	"runtime"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/progress"
	"github.com/howdah/howdah/simulator/trace/db"
)

// dbEnvironment is the environment variable for the file name of the trace database. The --db
// option overrides it.
const dbEnvironment = "HOWDAH_TRACE_DB"

// defaultDB is the file name of the trace database in the working directory.
const defaultDB = "traces.db"

const simDescription = `TRACE is a file, a directory of files, the name of a trace in the trace database, or
http://JOBTRACKER for the jobs of that JobTracker. A file can be Hadoop's job history (0.18 to 1.x, or
.jhist), Rumen's JSON, a SWIM table, a journal of howdah, or an exported trace, uncompressed or with gzip.`

func (s *session) simCommand() *urfave.Command {
	return &urfave.Command{
		Name: "sim", Usage: "manage traces and simulate them with the real JobTracker", HideHelpCommand: true,
		Description: simDescription,
		Action:      func(c *urfave.Context) error { return urfave.ShowSubcommandHelp(c) },
		Subcommands: []*urfave.Command{
			s.simImport(), s.simProfile(), s.simGenerate(), s.simList(), s.simShow(), s.simExport(),
			s.simRun(), s.simCompare(), s.simValidate(), s.simSubmit(), s.simWhatIf(),
		},
	}
}

func dbFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "db", Usage: "trace database `FILE`", Value: defaultDB,
		EnvVars: []string{dbEnvironment}}
}

func (s *session) openDB(c *urfave.Context, create bool) (*db.DB, error) {
	return db.Open(c.Context, c.String("db"), create)
}

// hasDB reports whether the trace database exists.
func hasDB(c *urfave.Context) bool {
	_, err := os.Stat(c.String("db"))
	return err == nil
}

// oneTrace returns the name of a trace, which must be the command's only argument.
func oneTrace(c *urfave.Context) (string, error) {
	if c.Args().Len() != 1 {
		return "", usageError("howdah sim %s needs one TRACE, got %d", c.Command.Name, c.Args().Len())
	}
	return c.Args().First(), nil
}

func workersFlag() urfave.Flag {
	return &urfave.IntFlag{Name: "workers", Usage: "number of concurrent simulations", Value: runtime.NumCPU()}
}

// note prints a message that is not a result to standard error.
func (s *session) note(format string, args ...any) {
	fmt.Fprintf(s.err, "howdah: "+format+"\n", args...)
}

// bar shows progress on standard error if that is a terminal. If steps is -1, the number of steps
// is unknown. The caller calls step after each step, and end to remove the bar. Both functions are
// safe for concurrent use.
func (s *session) bar(what string, steps int) (step, end func()) {
	if !progress.Terminal(s.err) {
		return func() {}, func() {}
	}
	b := progress.Steps(s.err, what, int64(steps))
	return func() { _ = b.Add(1) }, func() { _ = b.Finish() } // a closed terminal must not be an error
}
