package lab

import (
	"fmt"
	"os"
	"runtime"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/simulator/trace/db"
)

// dbEnvironment names the trace database if --db does not.
const dbEnvironment = "HOWDAH_TRACE_DB"

// defaultDB is the trace database of a directory.
const defaultDB = "traces.db"

const simDescription = `TRACE is a file (Hadoop's job history 0.18 to 1.x or .jhist, Rumen's JSON, SWIM's table, a journal of howdah, an exported trace; plain or gzip),
a directory of such files, a name in the trace database, or http://JOBTRACKER for what that JobTracker ran.`

func (s *session) simCommand() *urfave.Command {
	return &urfave.Command{
		Name: "sim", Usage: "traces, and simulations of them on the real JobTracker", HideHelpCommand: true, Description: simDescription,
		Action: func(c *urfave.Context) error { return urfave.ShowSubcommandHelp(c) },
		Subcommands: []*urfave.Command{
			s.simImport(), s.simProfile(), s.simGenerate(), s.simList(), s.simShow(), s.simExport(),
			s.simRun(), s.simCompare(), s.simValidate(), s.simSubmit(),
		},
	}
}

func dbFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "db", Usage: "trace database `FILE`", Value: defaultDB, EnvVars: []string{dbEnvironment}}
}

func jsonFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "json", Usage: "print JSON, for scripts"}
}

func (s *session) openDB(c *urfave.Context, create bool) (*db.DB, error) {
	return db.Open(c.Context, c.String("db"), create)
}

// hasDB tells whether there is a database to look into.
func hasDB(c *urfave.Context) bool {
	_, err := os.Stat(c.String("db"))
	return err == nil
}

// oneTrace gives the only argument.
func oneTrace(c *urfave.Context) (string, error) {
	if c.Args().Len() != 1 {
		return "", usageError("howdah sim %s takes one TRACE, not %d", c.Command.Name, c.Args().Len())
	}
	return c.Args().First(), nil
}

func workersFlag() urfave.Flag {
	return &urfave.IntFlag{Name: "workers", Usage: "simulations at the same time", Value: runtime.NumCPU()}
}

// note prints a message that is not a result.
func (s *session) note(format string, args ...any) {
	fmt.Fprintf(s.err, "howdah: "+format+"\n", args...)
}
