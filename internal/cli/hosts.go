package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/cli/hosts"
	"github.com/howdah/howdah/job/failure"
)

// clusterCommand returns the command that runs a cluster on several hosts over ssh.
func (s *session) clusterCommand() *urfave.Command {
	program := &urfave.StringFlag{Name: "program", Usage: "`FILE` of the howdah program (default: this program)"}
	verb := func(name, usage string, f func(*urfave.Context, *hosts.Cluster) error, flags ...urfave.Flag) *urfave.Command {
		if name == "status" {
			flags = append(flags, arguments.JSONFlag())
		}
		return &urfave.Command{Name: name, Usage: usage, ArgsUsage: "HOSTS.txt", HideHelpCommand: true,
			Flags: append(flags,
				&urfave.StringFlag{Name: "dir", Usage: "`DIRECTORY` of the cluster on each host (default: that of init, or " +
					hosts.DefaultDir + ")"},
				&urfave.StringFlag{Name: "ssh-config", Usage: "configuration `FILE` for ssh (default: the user's own)"}),
			Action: taking(1, func(c *urfave.Context) error { return s.onHosts(c, f) })}
	}
	return &urfave.Command{
		Name: "cluster", Usage: "set up and run a cluster on several hosts over ssh", HideHelpCommand: true,
		Description: `A line of HOSTS.txt is [user@]host [jobtracker] [tasktracker] [maps=N] [reduces=N], or uses manager and
agent instead. If no line names a daemon, the first host runs the JobTracker, and every host runs a TaskTracker.
Settings such as -D key=value apply to all hosts. Each command prints a table of what happened on which host.
Example: howdah cluster init --shared /shared/howdah HOSTS.txt`,
		Action: func(c *urfave.Context) error { return usageError("use one of the commands in howdah cluster --help") },
		Subcommands: []*urfave.Command{
			verb("init", "copy the program, the configuration, and the secret to the hosts, and start the daemons",
				func(c *urfave.Context, h *hosts.Cluster) error { return h.Init(c.Context) }, program,
				&urfave.StringFlag{Name: "shared", Usage: "`DIRECTORY` that all hosts mount, for the files of jobs"}),
			verb("start", "start the daemons that do not run",
				func(c *urfave.Context, h *hosts.Cluster) error { return h.Start(c.Context) }),
			verb("status", "show the daemons of each host, and the versions of their programs",
				func(c *urfave.Context, h *hosts.Cluster) error { return h.Status(c.Context) }),
			verb("logs", "print the end of each daemon's log",
				func(c *urfave.Context, h *hosts.Cluster) error { return h.Logs(c.Context, s.out, c.Int("lines")) },
				&urfave.IntFlag{Name: "lines", Value: 20, Usage: "number of lines of each log"}),
			verb("upgrade", "replace the program, one TaskTracker after the other, while jobs run",
				func(c *urfave.Context, h *hosts.Cluster) error { return h.Upgrade(c.Context) }, program,
				&urfave.DurationFlag{Name: "drain-timeout", Value: time.Hour, Usage: "maximum time for the running tasks of " +
					"one TaskTracker"}),
			verb("stop", "stop the daemons and remove all files of the cluster, with its history, from the hosts",
				func(c *urfave.Context, h *hosts.Cluster) error { return h.Stop(c.Context, c.Bool("keep")) },
				&urfave.BoolFlag{Name: "keep", Usage: "keep the files, so that start can continue"}),
		},
	}
}

// onHosts runs a verb of howdah cluster, and prints the table of the hosts.
func (s *session) onHosts(c *urfave.Context, f func(*urfave.Context, *hosts.Cluster) error) error {
	file := c.Args().First()
	list, err := hosts.ReadFile(file)
	if err != nil {
		return err
	}
	client, err := filepath.Abs(strings.TrimSuffix(file, filepath.Ext(file)) + ".conf")
	if err != nil {
		return failure.New(failure.KindOf(err), "find directory", file, err)
	}
	self, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	program, err := executable(cmp.Or(c.String("program"), self))
	if err != nil {
		return err
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	files := map[string]string{}
	for _, p := range schedulerFiles(cfg) {
		files[p.Name] = p.Value
	}
	h := &hosts.Cluster{Hosts: list, Dir: c.String("dir"), Client: client, Shared: c.String("shared"), Program: program,
		Conf: cfg, Files: files, Shell: hosts.SSH(c.String("ssh-config")), Log: s.err, Drain: c.Duration("drain-timeout"),
		Poll: time.Second}
	if err := h.Check(); err != nil {
		return err
	}
	err = f(c, h)
	return cmp.Or(s.showHosts(c, h, err), err)
}

func (s *session) showHosts(c *urfave.Context, h *hosts.Cluster, failed error) error {
	out := s.out
	if c.Command.Name == "logs" {
		out = s.err
	}
	return s.show(c, h.Rows(), func() error {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "Host\tState\tError")
		for _, r := range h.Rows() {
			fmt.Fprintf(w, "%s\t%s\t%s\n", r.Host, r.State, r.Error)
		}
		if failed == nil && c.Command.Name == "init" {
			defer fmt.Fprintf(s.err, "For commands on this machine: export HOWDAH_CONF_DIR=%s\n", h.Client)
		}
		return w.Flush()
	})
}
