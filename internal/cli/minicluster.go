package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/cli/minicluster"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/tasktracker/daemon"
)

func (s *session) miniclusterCommand() *urfave.Command {
	return &urfave.Command{
		Name: "minicluster", Usage: "run a JobTracker and TaskTrackers as processes on this machine",
		ArgsUsage: "[generic options] [-- COMMAND...]", HideHelpCommand: true,
		Description: `Prints one line when all daemons have joined. Ctrl-C stops all daemons. With -- COMMAND, runs the
command with HOWDAH_CONF_DIR set, stops the cluster, and exits with the command's exit code. For each daemon NAME
(jobtracker, tasktracker-1, ...), DIR/pids/NAME contains its process ID, DIR/commands/NAME the command that restarts
it, and DIR/logs/NAME.log its log. Generic options such as -D key=value (see howdah help) are settings of all daemons.`,
		Flags: []urfave.Flag{
			&urfave.IntFlag{Name: "tasktrackers", Value: 1, Usage: "number of TaskTrackers, 1-64"},
			&urfave.StringFlag{Name: "dir", Usage: "directory of the cluster, which is kept on exit " +
				"(default: a temporary directory)"},
			&urfave.StringFlag{Name: "jobtracker", Usage: "JobTracker `PROGRAM` with its own scheduling " +
				"policies"},
			&urfave.StringFlag{Name: "tasktracker-program", Usage: "TaskTracker `PROGRAM` with its own " +
				"estimators of MROrchestrator"},
			&urfave.BoolFlag{Name: "restart", Usage: "restart daemons that die"},
		},
		Action: s.minicluster,
	}
}

func (s *session) minicluster(c *urfave.Context) error {
	program, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	cfg, err := s.config() // reports errors here, not in the log of each part
	if err != nil {
		return err
	}
	jobTracker, err := findProgram(c, "jobtracker", "scheduling policies (package jobtracker/jobtrackermain)")
	if err != nil {
		return err
	}
	taskTracker, err := findProgram(c, "tasktracker-program", "estimators (package tasktracker/tasktrackermain)")
	if err != nil {
		return err
	}
	secret, err := auth.Load(cfg)
	if err != nil {
		return err
	}
	logins, err := auth.JobTracker.Logins(cfg)
	if err != nil {
		return err
	}
	own := auth.OnlySecret(cfg, "minicluster")
	users := daemon.UsersFromConf(&conf.Reader{Conf: cfg})
	s.code, err = minicluster.Run(c.Context, minicluster.Options{
		TaskTrackers: c.Int("tasktrackers"), Dir: c.String("dir"), Restart: c.Bool("restart"),
		Security: auth.NewMode(cfg, secret.Proof(), logins.Mode(), users.Mode()).String(), Scheme: certs.Scheme(cfg),
		Set: settings(cfg), Command: c.Args().Slice(), Program: program, JobTracker: jobTracker,
		TaskTracker: taskTracker,
		Joined:      func(ctx context.Context, address string) (int, error) { return joined(ctx, own, address) },
		Stdin:       s.in, Stdout: s.out, Stderr: s.err,
	})
	cgroup.Sweep(node.GroupsOf(cfg)) // for killed TaskTrackers, because a later TaskTracker might not run here
	return err
}

// findProgram returns the absolute path of the program that an option names, or "" if it names none.
// parts describes what the program adds.
func findProgram(c *urfave.Context, option, parts string) (string, error) {
	name := c.String(option)
	if name == "" {
		return "", nil
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", failure.New(failure.Usage, "read option", "--"+option+" "+name, err).
			Fix("name a program with " + parts)
	}
	return path, nil
}

// settings returns the user's settings for the cluster. It omits addresses and directories that a
// configuration file sets, because they are for another cluster. It keeps those that an option
// sets, because a later check rejects them.
func settings(c *conf.Config) []conf.Property {
	list := slices.DeleteFunc(c.Properties(true), func(p conf.Property) bool {
		return minicluster.Fixed(p.Name) && !strings.HasPrefix(p.Source, "-")
	})
	return append(list, schedulerFiles(c)...) // the last value of a key takes effect
}

// schedulerFiles returns the settings that contain the paths of the schedulers' files, with
// absolute paths. The cluster's own configuration directory does not contain these files.
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

// joined returns the number of TaskTrackers that are registered with a JobTracker.
func joined(ctx context.Context, c *conf.Config, address string) (int, error) {
	jobs, err := jobclient.Connect(c, address, "")
	if err != nil {
		return 0, err
	}
	defer jobs.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := jobs.Cluster(ctx)
	if err != nil {
		return 0, err
	}
	return len(r.Trackers), nil
}
