package piped

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task"
	"github.com/howdah/howdah/task/shuffle"
)

// Arg is the first command-line argument that makes a program run as the mapper or reducer of a
// Streaming job. The second argument is "map" or "reduce".
const Arg = "--howdah-piped"

// These files are in each attempt's working directory.
const (
	ProgramFile = "howdah-program"
	ConfFile    = "howdah-job.xml"
	SplitFile   = "howdah-job.split"
)

// JVMReserve is the part of a task's memory, in MiB, that is reserved for Hadoop's own process. The
// rest is for the program.
const JVMReserve = 320

// Wanted reports whether this process was started as a mapper or reducer.
func Wanted() bool { return len(os.Args) == 3 && os.Args[1] == Arg }

// Config contains what the program provides to its mappers and reducers.
type Config struct {
	Jobs func(name string) *mapreduce.Job // returns the program's job called name, or nil if there is none
	FS   func(*conf.Config) (dfs.Resolver, error)
}

// Main runs the attempt and returns the exit code, which is 0 after success and 1 after a failure.
// After a failure, Hadoop starts another attempt if its limit allows.
func Main(c Config) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	a := &attempt{Config: c, in: os.Stdin, out: records, report: &reporter{out: os.Stderr}, getenv: os.Getenv}
	err := a.run(ctx, os.Args[2])
	if err == nil {
		return 0
	}
	fmt.Fprintln(a.report, err)
	a.leave(err)
	return 1
}

// attempt is the task attempt that this process runs.
type attempt struct {
	Config
	in     io.Reader
	out    io.Writer
	report *reporter
	getenv func(string) string

	home string // working directory created by YARN
	conf *conf.Config
	spec task.Spec
	env  task.Env
	live task.Live
}

func (a *attempt) run(ctx context.Context, what string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(a.report, "internal error: %v\n%s", p, debug.Stack())
			err = failure.New(failure.Internal, "run attempt", a.spec.Attempt.String(), fmt.Errorf("panic: %v", p))
		}
	}()
	if err := a.prepare(ctx, what); err != nil {
		return err
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() { a.report.watch(&a.live, stop) })
	defer wg.Wait()
	defer close(stop)
	var out *task.Outcome
	if what == "map" {
		out, err = a.runMap(ctx)
	} else {
		out, err = a.runReduce(ctx)
	}
	if err != nil {
		return err
	}
	a.report.counters(out.Counters)
	return nil
}

// prepare fills in the attempt from the job's files in the working directory and Hadoop's
// environment variables. It also limits the process's memory and enters the scratch directory.
func (a *attempt) prepare(ctx context.Context, what string) error {
	id, err := job.ParseAttemptID(a.getenv("mapreduce_task_attempt_id"))
	if err != nil || what != "map" && what != "reduce" {
		return failure.New(failure.Usage, "run", Arg+" "+what, err).Fix("Hadoop Streaming starts the program in this way, " +
			"nobody else")
	}
	a.spec.Attempt = id
	a.conf = conf.New()
	if err := a.conf.LoadFile(ConfFile); err != nil {
		return err
	}
	if a.env.FS, err = a.FS(a.conf); err != nil {
		return err
	}
	name := conf.JobProgramJob.Get(a.conf)
	j := a.Jobs(name)
	if j == nil {
		return failure.New(failure.Config, "find job", name,
			errors.New("this program has no such job")).Fix("submit the job with the program that contains it")
	}
	if j, err = j.Shaped(a.conf); err != nil {
		return err
	}
	s := &a.spec
	s.Job, s.Conf, s.JobName = j, a.conf, conf.JobName.Get(a.conf)
	if s.Reduces, err = mapreduce.Reduces(a.conf); err != nil {
		return err
	}
	maps, err := conf.JobMaps.Within(a.conf, 0, 1<<31-1)
	if err != nil {
		return err
	}
	s.Maps = int(maps)
	s.OutputDir = conf.OutputFileOutputFormatOutputDir.Get(a.conf)
	if s.OutputDir != "" {
		if s.AttemptDir = a.getenv("mapreduce_task_output_dir"); s.AttemptDir == "" {
			return failure.New(failure.Internal, "find the directory for output", id.String(), errors.New("Hadoop names none"))
		}
	}
	a.env.Live, a.env.Log = &a.live, a.report
	a.env.Note = func(format string, args ...any) { fmt.Fprintf(a.report, format+"\n", args...) }
	before := task.ProcessUsage()
	a.env.Usage = func() task.Usage { return task.ProcessUsage().Since(before) }
	if err := errors.Join(a.limitMemory(), a.makeDirs()); err != nil {
		return err
	}
	if what == "map" {
		if err := a.readSplit(ctx); err != nil {
			return err
		}
	}
	return a.enter(ctx)
}

// limitMemory limits this process to the container's memory minus JVMReserve. The limit is at least
// half of the container's memory and at least 96 MiB.
func (a *attempt) limitMemory() error {
	mb, err := task.MemoryMB(a.conf, a.spec.Attempt.Type)
	if err != nil {
		return err
	}
	mb = max(mb-JVMReserve, mb/2)
	a.spec.Memory = max(task.BufferBytes(mb), 16<<20)
	task.LimitProcess(max(mb, 96))
	return nil
}

// makeDirs creates scratch directories in the working directory. YARN removes them.
func (a *attempt) makeDirs() error {
	wd, err := os.Getwd()
	if err != nil {
		return failure.New(failure.IO, "find the working directory", "", err)
	}
	a.home = wd
	a.spec.WorkDir = filepath.Join(wd, "howdah-work")
	a.spec.MapOutputDir = filepath.Join(wd, "howdah-output")
	for _, dir := range []string{a.spec.WorkDir, a.spec.MapOutputDir, a.cacheDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return failure.New(failure.KindOf(err), "create directory", dir, err)
		}
	}
	return nil
}

func (a *attempt) cacheDir() string { return filepath.Join(a.home, "howdah-cache") }

// enter makes the attempt's scratch directory the current directory and links the files of the
// job's distributed cache there, as on a TaskTracker.
func (a *attempt) enter(ctx context.Context) error {
	entries, err := distcache.Read(a.conf)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		store := &distcache.Store{Dir: func() (string, error) { return a.cacheDir(), nil },
			Limit: conf.TaskTrackerCacheLocalSize.BuiltIn()}
		lease, err := store.Acquire(ctx, a.env.FS, distcache.User{}, entries)
		if err != nil {
			return err
		}
		if err := lease.Link(a.spec.WorkDir); err != nil {
			return err
		}
	}
	if err := os.Chdir(a.spec.WorkDir); err != nil {
		return failure.New(failure.KindOf(err), "enter work directory", a.spec.WorkDir, err)
	}
	return nil
}

// readSplit reads the split that the first input line identifies and sets the attempt's index to
// that of the split.
func (a *attempt) readSplit(ctx context.Context) error {
	line, err := bufio.NewReaderSize(a.in, 4096).ReadString('\n')
	if err != nil && err != io.EOF {
		return failure.New(failure.IO, "read", "standard input", err)
	}
	index, offset, ok := parseLine(line)
	if !ok || index >= a.spec.Maps {
		return damaged("got line %q, want a split's number and position", line)
	}
	fs, name, err := a.env.FS.Resolve("file:" + filepath.ToSlash(filepath.Join(a.home, SplitFile)))
	if err != nil {
		return err
	}
	a.spec.Attempt.Index = int32(index) // Hadoop numbers its maps differently
	a.spec.Split, err = staging.ReadSplit(ctx, fs, name, offset)
	return err
}

// runMap runs the map and sends its output.
func (a *attempt) runMap(ctx context.Context) (*task.Outcome, error) {
	out, err := task.RunMap(ctx, &a.spec, &a.env)
	if err != nil || a.spec.Reduces == 0 {
		return out, err
	}
	return out, send(a.out, a.spec.MapOutputDir, uint32(a.spec.Attempt.Index))
}

// parseLine parses a line of the form "INDEX OFFSET", which may follow a key and a tab.
func parseLine(line string) (index int, offset int64, ok bool) {
	if _, value, found := strings.Cut(line, "\t"); found {
		line = value
	}
	a, b, _ := strings.Cut(strings.TrimSpace(line), " ")
	index, err := strconv.Atoi(a)
	if err != nil || index < 0 {
		return 0, 0, false
	}
	offset, err = strconv.ParseInt(b, 10, 64)
	return index, offset, err == nil && offset >= 0
}

// localAddr is a placeholder for this process's address in the list of map outputs. It is never
// used for connections.
const localAddr = "here"

// runReduce receives the map outputs and runs the reducer with them.
func (a *attempt) runReduce(ctx context.Context) (*task.Outcome, error) {
	s := &a.spec
	if err := receive(a.in, s.MapOutputDir, s.Attempt.Job, int(s.Attempt.Index), s.Maps); err != nil {
		return nil, err
	}
	events := make(chan shuffle.Completion, s.Maps)
	for m := range s.Maps {
		events <- shuffle.Completion{Map: int32(m), Addr: localAddr}
	}
	close(events)
	a.env.MapOutputs = task.MapOutputs{Events: events, LocalAddr: localAddr, LocalRoot: s.MapOutputDir}
	return task.RunReduce(ctx, s, &a.env)
}

// leaveTimeout limits how long leave can take to report a failure.
const leaveTimeout = 10 * time.Second

// leave writes the cause of the attempt's failure to a file, where the job's client finds it. If
// the attempt was killed, leave writes nothing.
func (a *attempt) leave(why error) {
	if failure.Is(why, failure.Killed) || a.conf == nil || a.env.FS == nil || conf.YARNErrorsDir.Get(a.conf) == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	fs, dir, err := a.env.FS.Resolve(conf.YARNErrorsDir.Get(a.conf))
	if err != nil {
		return
	}
	// Use Hadoop's ID for the attempt, because it appears in Hadoop's logs and pages. Howdah's ID
	// differs because howdah numbers maps differently.
	w, err := fs.Create(ctx, dir+"/"+a.getenv("mapreduce_task_attempt_id"), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return
	}
	defer w.Abort()
	if _, err := io.WriteString(w, why.Error()); err == nil {
		_ = w.Close()
	}
}
