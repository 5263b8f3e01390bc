package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// ClusterOptions describes the minicluster of an experiment.
type ClusterOptions struct {
	TaskTrackers int               // 0 = 1
	Slots        [2]int32          // map and reduce slots of each TaskTracker
	Set          []string          // "key=value", for all daemons
	Files        map[string]string // content by name; Set refers to the directory of these files as @DIR@
	// JobTracker and TaskTracker are programs whose commands of that name start the daemons; "" = howdah.
	JobTracker, TaskTracker string
}

// Cluster is a minicluster of an experiment: one JobTracker and one or more TaskTrackers, each in
// its own process.
type Cluster struct {
	Web    string // http://host:port of the JobTracker
	dir    string
	binary string
	runs   *daemonrun.Minicluster
	log    *os.File
}

const clusterStop = 20 * time.Second // maximum time for all daemons to exit

// StartCluster starts a cluster and waits until all TaskTrackers have registered. If ctx ends
// earlier, StartCluster stops the cluster and returns an error. A started cluster runs until the
// caller calls Stop, even if ctx ends.
func (r *Run) StartCluster(ctx context.Context, o ClusterOptions) (*Cluster, error) {
	if r.Binary == "" {
		return nil, noBinary("start minicluster")
	}
	dir, err := os.MkdirTemp("", "howdah-experiment-")
	if err != nil {
		return nil, failure.New(failure.IO, "start minicluster", "", err)
	}
	c := &Cluster{dir: dir, binary: r.Binary}
	if err := c.start(ctx, o); err != nil {
		err = failure.New(failure.KindOf(err), "start minicluster", dir, errors.Join(err, errors.New(tail(c.logFile()))))
		c.Stop()
		return nil, err
	}
	r.Executions++
	return c, nil
}

func (c *Cluster) start(ctx context.Context, o ClusterOptions) (err error) {
	if err := writeFiles(c.dir, o.Files); err != nil {
		return err
	}
	if c.log, err = os.Create(c.logFile()); err != nil {
		return err
	}
	args := []string{"--dir", c.clusterDir(), "--tasktrackers", strconv.Itoa(max(1, o.TaskTrackers))}
	set := append([]string{
		fmt.Sprintf("mapreduce.tasktracker.map.tasks.maximum=%d", o.Slots[0]),
		fmt.Sprintf("mapreduce.tasktracker.reduce.tasks.maximum=%d", o.Slots[1]),
	}, o.Set...)
	if o.JobTracker != "" {
		args = append(args, "--jobtracker", o.JobTracker)
	}
	if o.TaskTracker != "" {
		args = append(args, "--tasktracker-program", o.TaskTracker)
	}
	for _, s := range set {
		args = append(args, "-D", strings.ReplaceAll(s, inDir, c.dir))
	}
	if c.runs, err = daemonrun.StartMinicluster(ctx, daemonrun.Command{Program: c.binary, Args: args,
		Log: c.log}); err != nil {
		return err
	}
	c.Web = c.runs.Web
	return nil
}

// inDir stands for the directory of an experiment's files in settings.
const inDir = "@DIR@"

// File returns the path of a file in ClusterOptions.Files.
func (c *Cluster) File(name string) string { return filepath.Join(c.dir, name) }

func writeFiles(dir string, files map[string]string) error {
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) logFile() string { return filepath.Join(c.dir, "minicluster.log") }

// tail returns the last 2,000 bytes of a log, or "" if it cannot read the log.
func tail(file string) string {
	b, _ := os.ReadFile(file)
	return string(b[max(0, len(b)-2000):])
}

// Stop stops the cluster and removes its files.
func (c *Cluster) Stop() {
	if c.runs != nil {
		c.runs.Stop(clusterStop)
	}
	if c.log != nil {
		c.log.Close()
	}
	os.RemoveAll(c.dir)
}

// Howdah runs a howdah command against the cluster and returns its standard output.
func (c *Cluster) Howdah(ctx context.Context, args ...string) ([]byte, error) {
	return runHowdah(ctx, c.binary, append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.runs.Conf), args)
}

func noBinary(op string) error {
	return failure.New(failure.Usage, op, "", errors.New("the howdah executable is unknown")).Fix("run make build")
}

// RunHowdah runs a howdah command in this process's environment and returns its standard output.
func RunHowdah(ctx context.Context, binary string, args []string) ([]byte, error) {
	return runHowdah(ctx, binary, os.Environ(), args)
}

// runHowdah runs a command to completion and returns its standard output. A returned error contains
// the standard error.
func runHowdah(ctx context.Context, binary string, env, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // so that it ends its own commands
	cmd.WaitDelay = clusterStop
	cmd.Env = env
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.Bytes(), failure.New(failure.KindOf(err), "run", "howdah "+strings.Join(args, " "),
			fmt.Errorf("%w: %s", err, strings.TrimSpace(errOut.String())))
	}
	return out.Bytes(), nil
}

// RunJob runs an application to completion (howdah run ARGS...). It returns the JobTracker's status
// of the application's last job. args[0] is the application's name.
func (c *Cluster) RunJob(ctx context.Context, args ...string) (*Job, error) {
	out, err := c.Howdah(ctx, append([]string{"run", "--json"}, args...)...)
	if err != nil {
		return nil, err
	}
	all, err := allJobs(args[0], out)
	if err != nil {
		return nil, err
	}
	return c.Status(ctx, lastJob(all).ID)
}

// lastJob returns the last of the jobs, or a zero Job if there is none.
func lastJob(all []*Job) *Job {
	if len(all) == 0 {
		return &Job{}
	}
	return all[len(all)-1]
}

// allJobs decodes out, the output of howdah run --json. app is the application's name for error
// messages.
func allJobs(app string, out []byte) (all []*Job, err error) {
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		j := &Job{}
		if err := d.Decode(j); err != nil {
			return nil, failure.New(failure.Corrupt, "read result of", app, err)
		}
		all = append(all, j)
	}
	return all, nil
}

// Job is the state of a job, as howdah prints it with --json. howdah run and howdah job -list omit
// the attempts. Times are milliseconds since the epoch.
type Job struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	State      string    `json:"state"`
	Submit     int64     `json:"submit_ms"`
	Start      int64     `json:"start_ms"`
	Finish     int64     `json:"finish_ms"`
	Deadline   int64     `json:"deadline_ms"`
	Attempts   []Attempt `json:"attempts"`
	Counters   map[string]map[string]int64
	Diagnostic string `json:"diagnostics"`
}

// Attempt is one attempt of a task.
type Attempt struct {
	ID      string `json:"id"`
	Type    string `json:"type"` // MAP or REDUCE
	Tracker string `json:"tracker"`
	State   string `json:"state"`
	Start   int64  `json:"start_ms"`
	Finish  int64  `json:"finish_ms"`
	Slot    string `json:"slot"` // type of a borrowed slot; "" = the attempt's own type; CONTAINER = no slot
}

// Status returns the JobTracker's status of a job.
func (c *Cluster) Status(ctx context.Context, id string) (*Job, error) {
	out, err := c.Howdah(ctx, "job", "-status", id, "--json")
	if err != nil {
		return nil, err
	}
	j := &Job{}
	if err := json.Unmarshal(out, j); err != nil {
		return nil, failure.New(failure.Corrupt, "read status of", id, err)
	}
	return j, nil
}

// Trackers returns the sorted names of the live TaskTrackers.
func (c *Cluster) Trackers(ctx context.Context) ([]string, error) {
	out, err := c.Howdah(ctx, "job", "-list-active-trackers")
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(out))
	slices.Sort(names)
	return names, nil
}

// Drain drains TaskTrackers in the given way, or ends their drain if how is "off".
func (c *Cluster) Drain(ctx context.Context, how string, trackers ...string) error {
	for _, name := range trackers {
		if _, err := c.Howdah(ctx, "admin", "-drainTracker", name, how); err != nil {
			return err
		}
	}
	return nil
}

// Jobs returns the JobTracker's unfinished jobs or, with the argument "all", all of its jobs.
func (c *Cluster) Jobs(ctx context.Context, which ...string) (jobs []Job, err error) {
	out, err := c.Howdah(ctx, append(append([]string{"job", "-list"}, which...), "--json")...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &jobs); err != nil {
		return nil, failure.New(failure.Corrupt, "read the list of jobs", c.Web, err)
	}
	return jobs, nil
}

// AwaitJobs waits until the JobTracker has at least n unfinished jobs.
func (c *Cluster) AwaitJobs(ctx context.Context, n int) error {
	for {
		jobs, err := c.Jobs(ctx)
		if err != nil || len(jobs) >= n {
			return err
		}
		if err := lifecycle.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// Journal returns the cluster's complete journal (GET /journal).
func (c *Cluster) Journal(ctx context.Context) ([]byte, error) {
	bad := func(err error) error { return failure.New(failure.KindOf(err), "read journal of", c.Web, err) }
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Web+"/journal", nil)
	if err != nil {
		return nil, bad(err)
	}
	if err := auth.Authorize(req, conf.New(), nil); err != nil { // the cluster uses the current user's secret
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, bad(err)
	}
	defer resp.Body.Close()
	if err := auth.Refusal("read journal of", c.Web, resp); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, bad(fmt.Errorf("HTTP status %s", resp.Status))
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, bad(err)
	}
	return b, nil
}
