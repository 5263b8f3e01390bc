package hosts

import (
	"archive/tar"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/shellwords"
	"github.com/howdah/howdah/job/failure"
)

// A Cluster runs daemons on several hosts. Its methods must not be called concurrently.
type Cluster struct {
	Hosts   []Host
	Dir     string            // of the cluster on each host; "" means that of Init, or DefaultDir
	Client  string            // directory on this machine for the configuration of commands
	Shared  string            // directory that all hosts mount; "" means that the file system is not local
	Program string            // the howdah program for Init and Upgrade
	Conf    *conf.Config      // settings of all daemons; needed only by Init
	Files   map[string]string // files of the scheduler: settings and paths on this machine
	Shell   Shell
	Log     io.Writer     // progress
	Drain   time.Duration // maximum time for the drain of one TaskTracker
	Poll    time.Duration // interval at which Init and Upgrade look for TaskTrackers

	table table
}

const (
	short = time.Minute      // limit of a call that starts or stops daemons
	long  = 10 * time.Minute // limit of a call that copies a program
	// joinTime is how long a TaskTracker may take to register after its start.
	joinTime = time.Minute
)

func failedOn(op string, err error) error {
	return failure.New(failure.Failed, op, "", err).Fix("see the table")
}

// DefaultDir is the directory of a cluster on its hosts.
const DefaultDir = "/opt/howdah"

// Check determines the cluster's directory on the hosts. It returns an error of kind Usage if a
// directory is not usable.
func (c *Cluster) Check() error {
	if c.Dir == "" {
		b, _ := os.ReadFile(filepath.Join(c.Client, dirFile))
		c.Dir = cmp.Or(strings.TrimSpace(string(b)), DefaultDir)
	}
	for flag, dir := range map[string]string{"--dir": c.Dir, "--shared": c.Shared} {
		if dir != "" && !dirPattern().MatchString(dir) {
			return failure.New(failure.Usage, "read option", flag+" "+dir, nil).
				Fix("use an absolute path of at least two steps with letters, digits, and _.- only")
		}
	}
	return nil
}

func (c *Cluster) pool() bool { return master(c.Hosts).runs(Manager) }

func (c *Cluster) say(format string, args ...any) { fmt.Fprintf(c.Log, format+"\n", args...) }

// Init checks all hosts, copies the program, the configuration, and the secret to them, and starts
// the daemons. If a check fails, Init changes nothing. After an error on some hosts, Init can run
// again.
func (c *Cluster) Init(ctx context.Context) error {
	cfg, err := c.settings()
	if err != nil {
		return err
	}
	secret, err := c.secret()
	if err != nil {
		return err
	}
	v, err := version(c.Program)
	if err != nil {
		return err
	}
	c.say("Checking %d hosts", len(c.Hosts))
	c.each(ctx, c.Hosts, func(ctx context.Context, h Host) (string, error) {
		out, err := c.call(ctx, h, short, "check", id(secret))
		return "checked: " + out, err
	})
	if err := c.failed("check hosts"); err != nil {
		return err
	}
	if err := c.writeClient(cfg, secret); err != nil {
		return err
	}
	c.say("Copying version %s to %s", v, c.Dir)
	c.each(ctx, c.Hosts, func(ctx context.Context, h Host) (string, error) {
		return "installed", c.unpack(ctx, h, "install", v, func(a *archive) {
			a.program(c.Program, v)
			c.config(a, cfg, h, secret)
		})
	})
	if err := c.failed("copy to hosts"); err != nil {
		return err
	}
	return c.Start(ctx)
}

// unpack sends an archive to a host, unpacks it there, and runs a verb of the script.
func (c *Cluster) unpack(ctx context.Context, h Host, verb, version string, fill func(*archive)) error {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		a := &archive{Writer: tar.NewWriter(w)}
		fill(a)
		if a.err == nil {
			a.err = a.Close()
		}
		w.CloseWithError(a.err)
	}()
	script := "umask 022 && mkdir -p " + c.Dir + " && umask 077 && tar -xpof - -C " + c.Dir + " && sh " + c.Dir +
		"/bin/host.sh " + verb + " " + c.Dir + " " + version
	_, err := c.Shell(ctx, h.Login, shellwords.Join([]string{"sh", "-c", script}), r, long)
	r.CloseWithError(errors.New("the host reads no more"))
	<-done
	return err
}

// Start starts the daemons that do not run, masters first, and waits until all TaskTrackers have
// joined.
func (c *Cluster) Start(ctx context.Context) error {
	c.say("Starting daemons")
	first := master(c.Hosts)
	for _, list := range [][]Host{{first}, c.Hosts} {
		c.each(ctx, list, func(ctx context.Context, h Host) (string, error) {
			names := h.Daemons
			if len(list) == 1 {
				names = names[:1]
			}
			_, err := c.call(ctx, h, short, "start", names...)
			return "started", err
		})
		if c.failed("start") != nil {
			return c.failed("start daemons")
		}
	}
	if c.pool() {
		return nil
	}
	c.say("Waiting for TaskTrackers")
	for _, h := range c.Hosts {
		if h.runs(TaskTracker) {
			c.await(ctx, h)
		}
	}
	return c.failed("start daemons")
}

// A tracker is what the JobTracker says about a TaskTracker.
type tracker struct {
	Name  string `json:"name"`
	Host  string `json:"host"`
	Drain *struct{}
}

// trackers asks the JobTracker, on its own host, for the TaskTrackers.
func (c *Cluster) trackers(ctx context.Context) (list []tracker, err error) {
	out, err := c.call(ctx, master(c.Hosts), short, "howdah", "bin/jobtracker", "job", "-list-active-trackers", "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &list)
	}
	return list, err
}

func (c *Cluster) tracker(ctx context.Context, h Host) (tracker, error) {
	list, err := c.trackers(ctx)
	if err != nil {
		return tracker{}, err
	}
	if i := slices.IndexFunc(list, func(t tracker) bool { return t.Host == h.Name }); i >= 0 {
		return list[i], nil
	}
	return tracker{}, failure.New(failure.NotFound, "find the TaskTracker of", h.Name,
		errors.New("it has not joined the JobTracker"))
}

// await waits until a host's TaskTracker has joined and gets tasks. If it does not join, the table
// shows the end of its log.
func (c *Cluster) await(ctx context.Context, h Host) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	for {
		t, err := c.tracker(ctx, h)
		if err == nil && t.Drain == nil {
			c.table.set(h, "running", nil)
			return
		}
		if lifecycle.Sleep(ctx, c.Poll) == nil {
			continue
		}
		if err == nil {
			err = errors.New("the TaskTracker still drains")
		}
		log, logErr := c.call(context.WithoutCancel(ctx), h, short, "logs", "1")
		if logErr == nil {
			err = fmt.Errorf("%w; its log ends with: %s", err, log)
		}
		c.table.set(h, "", err)
		return
	}
}

// Status asks every host for the state of its daemons. A stopped daemon is an error.
func (c *Cluster) Status(ctx context.Context) error {
	parallel(c.Hosts, func(h Host) {
		out, err := c.call(ctx, h, short, "status")
		r := Row{Host: h.Name, State: strings.ReplaceAll(out, "\n", ", ")}
		for line := range strings.Lines(out) {
			f := append(strings.Fields(line), "", "")
			if f[0] == "-" {
				err = errors.New("there is no cluster")
				break
			}
			r.Daemons = append(r.Daemons, Daemon{f[0], strings.ToUpper(f[1]), f[2]})
			if f[1] == "stopped" {
				err = fmt.Errorf("%s is stopped", f[0])
			}
		}
		c.table.put(r, err)
	})
	return c.failed("query hosts")
}

// Logs writes the last lines of every daemon's log to w.
func (c *Cluster) Logs(ctx context.Context, w io.Writer, lines int) error {
	texts := make([]string, len(c.Hosts))
	c.each(ctx, c.Hosts, func(ctx context.Context, h Host) (state string, err error) {
		i := slices.IndexFunc(c.Hosts, func(other Host) bool { return other.Name == h.Name })
		texts[i], err = c.call(ctx, h, short, "logs", fmt.Sprint(lines))
		return "read", err
	})
	for i, text := range texts {
		for line := range strings.Lines(text) {
			fmt.Fprintf(w, "%s: %s\n", c.Hosts[i].Name, strings.TrimSuffix(line, "\n"))
		}
	}
	return c.failed("read logs")
}

// Stop stops all daemons, workers first. Unless keep is set, it then removes the cluster's files from
// the hosts, and the configuration from this machine.
func (c *Cluster) Stop(ctx context.Context, keep bool) error {
	for _, o := range []int{1, 0} {
		c.each(ctx, c.Hosts, func(ctx context.Context, h Host) (string, error) {
			names := slices.DeleteFunc(slices.Clone(h.Daemons), func(d string) bool { return order(d) != o })
			_, err := c.call(ctx, h, 2*short, "stop", names...)
			return "stopped", err
		})
	}
	if keep {
		return c.failed("stop daemons")
	}
	c.each(ctx, c.Hosts, func(ctx context.Context, h Host) (string, error) {
		return c.call(ctx, h, long, "remove")
	})
	if err := c.failed("remove the cluster"); err != nil {
		return err // the secret is still needed
	}
	return c.removeClient()
}

var protocolLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^protocol (\d+)\.\d+$`)
})

// protocol returns the major version of the protocol of a program on the JobTracker's host.
func (c *Cluster) protocol(ctx context.Context, program string) (string, error) {
	out, err := c.call(ctx, master(c.Hosts), short, "howdah", program, "version")
	if err != nil {
		return "", err
	}
	m := protocolLine().FindStringSubmatch(out)
	if m == nil {
		return "", failure.New(failure.Stale, "check protocol version", program, errors.New("the program names none"))
	}
	return m[1], nil
}

// Upgrade replaces the program of a running cluster and keeps its jobs. The JobTracker restarts first
// and replays its journal. Then one TaskTracker after the other drains, restarts, and joins. Upgrade
// stops at the first failure; it can then run again, also with the old program.
func (c *Cluster) Upgrade(ctx context.Context) error {
	if c.pool() {
		return failure.New(failure.Usage, "upgrade", "", errors.New("agents cannot be drained")).
			Fix("use howdah cluster stop --keep and howdah cluster init")
	}
	v, err := version(c.Program)
	if err != nil {
		return err
	}
	c.say("Copying version %s to %s", v, c.Dir)
	c.each(ctx, c.Hosts, func(ctx context.Context, h Host) (string, error) {
		if out, err := c.call(ctx, h, short, "status"); err != nil || strings.HasPrefix(out, "-") {
			return "", cmp.Or(err, errors.New("there is no cluster"))
		}
		return "copied", c.unpack(ctx, h, "try", v, func(a *archive) { a.program(c.Program, v) })
	})
	if err := c.failed("copy to hosts"); err != nil {
		return err
	}
	first := master(c.Hosts)
	if err := c.compatible(ctx, v); err != nil {
		return err
	}
	c.say("%s: restarting the JobTracker", first.Name)
	_, err = c.call(ctx, first, short, "upgrade", v, JobTracker)
	if err == nil {
		err = c.settled(ctx)
	}
	c.table.set(first, "upgraded", err)
	for _, h := range c.Hosts {
		if c.failed("") != nil {
			break
		}
		if h.runs(TaskTracker) {
			c.upgradeTracker(ctx, h, v)
		}
	}
	if err := c.failed("upgrade"); err != nil {
		return err
	}
	c.each(ctx, c.Hosts, func(ctx context.Context, h Host) (string, error) {
		_, err := c.call(ctx, h, short, "prune", v)
		return "upgraded", err
	})
	return c.failed("upgrade")
}

// compatible returns an error of kind Stale if the new program cannot work with the running daemons.
func (c *Cluster) compatible(ctx context.Context, version string) error {
	older, err := c.protocol(ctx, "bin/jobtracker")
	if err != nil {
		return err
	}
	newer, err := c.protocol(ctx, "versions/"+version+"/howdah")
	if err == nil && older != newer {
		err = failure.New(failure.Stale, "upgrade", "", fmt.Errorf("the running cluster has protocol %s, "+
			"but the new program has %s", older, newer)).
			Fix("wait for the jobs; then run howdah cluster stop --keep and howdah cluster init")
	}
	return err
}

// settled waits until every TaskTracker has reported to a restarted JobTracker.
func (c *Cluster) settled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	for {
		_, err := c.call(ctx, master(c.Hosts), joinTime, "howdah", "bin/jobtracker", "admin", "-safemode", "wait")
		if err == nil || lifecycle.Sleep(ctx, c.Poll) != nil {
			return err
		}
	}
}

func (c *Cluster) upgradeTracker(ctx context.Context, h Host, version string) {
	drain := func(limit time.Duration, mode string) error {
		t, err := c.tracker(ctx, h)
		if err == nil {
			_, err = c.call(ctx, master(c.Hosts), limit, "howdah", "bin/jobtracker", "admin", "-drainTracker", t.Name, mode)
		}
		return err
	}
	c.say("%s: draining the TaskTracker", h.Name)
	err := drain(short, "rerun")
	if err == nil {
		if err = drain(c.Drain, "wait"); err != nil {
			err = errors.Join(err, drain(short, "off"))
		}
	}
	if err == nil {
		c.say("%s: restarting the TaskTracker", h.Name)
		_, err = c.call(ctx, h, short, "upgrade", version, TaskTracker)
	}
	if err != nil {
		c.table.set(h, "", err)
		return
	}
	c.await(ctx, h)
}
