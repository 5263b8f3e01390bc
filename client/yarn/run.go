package yarn

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Job is a job to pass to Run.
type Job struct {
	Job    *mapreduce.Job
	Conf   *conf.Config // complete configuration of the job
	FS     dfs.Resolver
	Splits []mapreduce.Split
	Poll   time.Duration // time between two checks of the job

	// KillOnInterrupt kills the job when ctx ends. Otherwise the job continues.
	KillOnInterrupt bool

	Started  func(id job.ID, url string)       // called once, when the tracking URL is known
	Progress func(maps, reduces float32)       // called at each check, with fractions from 0 to 1
	Failed   func(a job.AttemptID, why string) // called for each failed attempt
}

// linesFile is the name of the Streaming job's input file, which has one line per map.
const linesFile = "maps"

// Run submits a job and waits until it ends. If the job fails or is killed, Run returns no error,
// and Result.State is Failed or Killed. If Run returns an error, the Result is nil. The error is of
// kind Interrupted if ctx ended, and of kind Config if Hadoop's client is missing. If YARN did not
// accept the job, the kind depends on the output of Hadoop's client.
func Run(ctx context.Context, j Job) (*mapreduce.Result, error) {
	h, err := find()
	if err != nil {
		return nil, err
	}
	r := &run{Job: j, hadoop: h, user: client.User(j.Conf), seen: map[string]bool{}}
	if r.local, err = os.MkdirTemp("", "howdah-yarn-"); err != nil {
		return nil, failure.New(failure.KindOf(err), "create a temporary directory in", os.TempDir(), err)
	}
	defer os.RemoveAll(r.local)
	s, err := r.stage(ctx)
	defer r.unstage()
	if err != nil {
		return nil, err
	}
	return r.submit(ctx, s)
}

type run struct {
	Job
	hadoop *hadoop
	user   string
	local  string // temporary directory on this machine
	fs     dfs.FileSystem
	dir    string // staging directory
	seen   map[string]bool
	kept   bool // the job continues and needs the files
	why    []string
	told   told
	asked  *cluster // nil until the job's URL is known
}

// stage writes the files that the attempts need to a directory that the cluster can read.
func (r *run) stage(ctx context.Context) (*streaming, error) {
	root := conf.YARNAppMapreduceAMStagingDir.Get(r.Conf)
	fs, dir, err := r.FS.Resolve(root)
	if err != nil {
		return nil, err
	}
	r.fs, r.dir = fs, path.Join(dir, r.user, ".staging", "howdah-"+rand.Text())
	self, err := program.Self()
	if err != nil {
		return nil, err
	}
	reduces, err := mapreduce.Reduces(r.Conf)
	if err != nil {
		return nil, err
	}
	s := &streaming{conf: r.Conf, name: r.Job.Job.Name, program: self.Path, staged: dfs.Qualify(fs, r.dir),
		reduces: reduces}
	c := r.Conf.Clone()
	if s.output, err = r.output(c); err != nil {
		return nil, err
	}
	c.Set(conf.JobProgramJob.Name, r.Job.Job.Name, "client")
	c.Set(conf.JobUserName.Name, r.user, "client")
	c.Set(conf.JobMaps.Name, fmt.Sprint(len(r.Splits)), "client")
	c.Set(conf.YARNErrorsDir.Name, s.staged+"/errors", "client")
	if err := distcache.Plan(ctx, r.FS, c, client.Shipper(fs, r.dir+"/cache")); err != nil {
		return nil, err
	}
	if err := staging.Write(ctx, fs, r.dir, c, r.Splits); err != nil {
		return nil, err
	}
	if err := fs.Mkdir(ctx, r.dir+"/errors"); err != nil {
		return nil, err
	}
	metas, _, err := staging.ReadMeta(ctx, fs, r.dir, staging.MetaLimit{Splits: len(r.Splits), Bytes: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	var lines strings.Builder
	for i, m := range metas {
		fmt.Fprintf(&lines, "%d %d\n", i, m.Offset)
	}
	if err := r.put(ctx, linesFile, []byte(lines.String())); err != nil {
		return nil, err
	}
	if reduces > 1 {
		s.cuts, err = r.writeCuts(ctx, reduces)
	}
	return s, err
}

// output returns the output directory as a URI and stores it in c, so that all machines resolve it
// to the same directory. Streaming requires an output directory, so a job without one gets a
// directory in the staging directory.
func (r *run) output(c *conf.Config) (string, error) {
	name := conf.OutputFileOutputFormatOutputDir.Get(c)
	if name == "" {
		return dfs.Qualify(r.fs, r.dir+"/none"), nil
	}
	fs, dir, err := r.FS.Resolve(name)
	if err != nil {
		return "", err
	}
	c.Set(conf.OutputFileOutputFormatOutputDir.Name, dfs.Qualify(fs, dir), "client")
	return dfs.Qualify(fs, dir), nil
}

func (r *run) put(ctx context.Context, name string, b []byte) error {
	w, err := r.fs.Create(ctx, path.Join(r.dir, name), dfs.CreateOptions{Mode: 0o644})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

// unstage removes the job's files, unless the job continues after this process.
func (r *run) unstage() {
	if r.fs != nil && !r.kept {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = r.fs.Delete(ctx, r.dir, true)
	}
}

// submit starts Hadoop's client and follows the job until the client exits.
func (r *run) submit(ctx context.Context, s *streaming) (*mapreduce.Result, error) {
	cmd, err := r.hadoop.command(r.Conf, r.local, s.arguments())
	if err != nil {
		return nil, err
	}
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, failure.New(failure.Config, "start Hadoop's client", cmd.Path, err)
	}
	reading, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		r.told.read(read)
		close(reading)
	}()
	go func() {
		err := cmd.Wait()
		write.Close()
		<-reading
		ended <- err
	}()
	tick := time.NewTicker(r.Poll)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil && ctx.Err() != nil { // Ctrl-C in a terminal also ends Hadoop's client, but not the job
				return nil, r.interrupted()
			}
			return r.end(ctx, err)
		case <-tick.C:
			r.look(ctx)
		case <-ctx.Done():
			err := r.interrupted()
			_ = cmd.Process.Kill()
			<-ended
			return nil, err
		}
	}
}

// look passes the start of the job, its progress, and its failed attempts to the functions in Job.
func (r *run) look(ctx context.Context) {
	id, url, maps, reduces := r.told.snapshot()
	if id.IsZero() || url == "" {
		return
	}
	if r.asked == nil {
		var ok bool
		if r.asked, ok = newCluster(url, id); !ok {
			r.asked = &cluster{}
		}
		r.Started(id, url)
	}
	if r.asked.base != "" {
		if m, d, ok := r.asked.progress(ctx, id); ok {
			maps, reduces = m, d
		}
	}
	r.Progress(maps, reduces)
	r.failures(ctx)
}

// failures reports failed attempts, first those that wrote a reason to the staging directory, and
// then those that only Hadoop reported.
func (r *run) failures(ctx context.Context) {
	list, err := r.fs.List(ctx, r.dir+"/errors")
	if err != nil {
		return
	}
	for _, e := range list {
		id, err := job.ParseAttemptID(e.Name())
		if err != nil || r.seen[e.Name()] {
			continue
		}
		f, err := r.fs.Open(ctx, e.Path)
		if err != nil {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(f, 64<<10))
		f.Close()
		if err != nil {
			continue
		}
		r.tell(id, string(b))
	}
	for _, f := range r.told.failures() {
		if !r.seen[f.id.String()] {
			r.tell(f.id, f.why)
		}
	}
}

var taskID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`task_[0-9]+_[0-9]+_[mr]_[0-9]+`)
})

// lastFailures reports the failed attempts of the task that made the job fail. Hadoop's client
// omits the last of these attempts.
func (r *run) lastFailures(ctx context.Context, id job.ID, diagnostics string) {
	task := taskID().FindString(diagnostics)
	if task == "" {
		return
	}
	for _, f := range r.asked.failedAttempts(ctx, id, task, conf.JobHistoryWebAppAddress.Get(r.Conf)) {
		if !r.seen[f.id.String()] {
			r.tell(f.id, f.why)
		}
	}
}

// tell reports a failed attempt to the caller of Run and records its ID, so that it is reported
// only once.
func (r *run) tell(id job.AttemptID, why string) {
	r.seen[id.String()] = true
	r.why = append(r.why, fmt.Sprintf("%s: %s", id, why))
	r.Failed(id, why)
}

// end returns the job's result after Hadoop's client has exited. err is the client's exit error.
func (r *run) end(ctx context.Context, err error) (*mapreduce.Result, error) {
	id, _, _, _ := r.told.snapshot()
	if !r.told.isAccepted() {
		if err == nil {
			err = errors.New("it exited without submitting a job")
		}
		return nil, failure.New(r.kind(), "submit to YARN with", r.hadoop.name(),
			fmt.Errorf("%w: %s", err, strings.Join(r.told.errors, "\n"))).
			Fix("check that HADOOP_CONF_DIR contains the configuration of a running cluster")
	}
	r.look(ctx)
	res := &mapreduce.Result{ID: id, State: job.Succeeded, Counters: &r.told.counters}
	if err == nil {
		r.Progress(1, 1)
		return res, nil
	}
	res.State = job.Failed
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		res.Diagnostics = err.Error()
		return res, nil
	}
	if r.asked != nil && r.asked.base != "" {
		if app, ok := r.asked.application(ctx); ok {
			if app.FinalStatus == "KILLED" {
				res.State = job.Killed
			}
			res.Diagnostics = strings.TrimSpace(app.Diagnostics)
			r.lastFailures(ctx, id, app.Diagnostics)
		}
	}
	if len(r.why) > 0 {
		res.Diagnostics = strings.TrimSpace(r.why[len(r.why)-1] + "\n" + res.Diagnostics)
	}
	if res.Diagnostics == "" {
		res.Diagnostics = strings.Join(r.told.errors, "\n")
	}
	return res, nil
}

// kind returns the kind of error for a job that YARN did not accept. It derives the kind from the
// client's output.
func (r *run) kind() failure.Kind {
	text := strings.Join(r.told.errors, "\n")
	switch {
	case strings.Contains(text, "FileAlreadyExistsException"):
		return failure.Exists
	case strings.Contains(text, "ConnectException"), strings.Contains(text, "UnknownHostException"),
		strings.Contains(text, "NoRouteToHost"):
		return failure.Unreachable
	case strings.Contains(text, "AccessControlException"):
		return failure.Permission
	}
	return failure.Config
}

func (h *hadoop) name() string {
	if h.script != "" {
		return h.script
	}
	return h.java
}

// interrupted returns the error for an interrupted Run. It leaves the job running, or kills the job
// if KillOnInterrupt is set.
func (r *run) interrupted() error {
	id, url, _, _ := r.told.snapshot()
	if id.IsZero() {
		return failure.New(failure.Interrupted, "submit", r.Job.Job.Name, errors.New("interrupted"))
	}
	e := failure.New(failure.Interrupted, "wait for", id.String(), errors.New("interrupted"))
	app := fmt.Sprintf("application_%s_%04d", id.Cluster, id.Seq)
	if !r.KillOnInterrupt {
		r.kept = true
		return e.Fix("the job continues; yarn application -kill " + app + " ends it")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, ok := newCluster(url, id)
	if !ok {
		r.kept = true
		return e.Fix("the job may continue; yarn application -kill " + app + " ends it")
	}
	if err := c.kill(ctx, r.user); err != nil {
		r.kept = true
		return failure.New(failure.Interrupted, "kill", id.String(),
			err).Fix("the job may continue; yarn application -kill " + app + " ends it")
	}
	return e.Fix("the job was killed")
}
