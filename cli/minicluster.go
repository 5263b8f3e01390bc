package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/cli/minicluster"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/scheduler/catalog"
)

func (s *session) miniclusterCommand() *urfave.Command {
	return &urfave.Command{
		Name: "minicluster", Usage: "run a JobTracker and TaskTrackers as processes on this machine",
		ArgsUsage: "[-- COMMAND...]", HideHelpCommand: true,
		Description: `Prints one line when all parts have joined; Ctrl-C stops all of them. With -- COMMAND runs the command with
HOWDAH_CONF_DIR set, then stops and exits with the command's code. DIR/pids/NAME and DIR/commands/NAME (NAME = jobtracker,
tasktracker-1, ...) hold each part's process id and the command that starts it again; DIR/logs/NAME.log is its log.`,
		Flags: []urfave.Flag{
			&urfave.IntFlag{Name: "tasktrackers", Value: 1, Usage: "number of TaskTrackers, 1-64"},
			&urfave.StringFlag{Name: "dir", Usage: "directory of the cluster, kept afterwards (default: a temporary one)"},
			&urfave.BoolFlag{Name: "restart", Usage: "start a part again that died"},
		},
		Action: s.minicluster,
	}
}

func (s *session) minicluster(c *urfave.Context) error {
	program, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	cfg, err := s.config() // what is wrong should be said once, here, and not in the log of each part
	if err != nil {
		return err
	}
	s.code, err = minicluster.Run(c.Context, minicluster.Options{
		TaskTrackers: c.Int("tasktrackers"), Dir: c.String("dir"), Restart: c.Bool("restart"),
		Set: settings(cfg), Command: c.Args().Slice(), Program: program, Joined: joined,
		Stdin: s.in, Stdout: s.out, Stderr: s.err,
	})
	cgroup.Sweep(node.GroupsOf(cfg)) // of TaskTrackers that were killed: no other may come here that does it
	return err
}

// settings gives what the cluster takes over from the user's configuration: everything but the addresses and directories of
// another cluster in configuration files. Those that an option names are left in and get refused.
func settings(c *conf.Config) []conf.Property {
	list := slices.DeleteFunc(c.Properties(true), func(p conf.Property) bool {
		return minicluster.Fixed(p.Name) && !strings.HasPrefix(p.Source, "-")
	})
	return append(list, schedulerFiles(c)...) // of two values the last counts
}

// schedulerFiles names the files of schedulers by their whole paths: the cluster has a configuration directory of its own, in
// which those of the user's are not.
func schedulerFiles(c *conf.Config) (list []conf.Property) {
	for _, e := range catalog.Builtin() {
		for _, key := range e.Files {
			path, named := catalog.FilePath(c, key)
			if _, err := os.Stat(path); path == "" || err != nil && !named {
				continue
			}
			if whole, err := filepath.Abs(path); err == nil {
				list = append(list, conf.Property{Name: key, Value: whole})
			}
		}
	}
	return list
}

// joined counts the TaskTrackers that a JobTracker knows.
func joined(ctx context.Context, address string) (int, error) {
	conn, jobs, err := dial(address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := jobs.Cluster(ctx, &client.Empty{})
	if err != nil {
		return 0, err
	}
	return len(r.Tracker), nil
}
