package doctor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/client/yarn"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/slots"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// configuration reports how many settings differ from the defaults, and the configuration's
// warnings.
func (r *Report) configuration(c *conf.Config) {
	r.add(OK, "configuration", "", "%d settings from %d sources differ from the defaults", len(c.Properties(true)),
		len(c.Sources()))
	for _, w := range c.Warnings() {
		r.add(Warn, "configuration", "", "%s", w)
	}
}

// callTimeout is the maximum time of each call to a daemon.
const callTimeout = 5 * time.Second

func (r *Report) storage(ctx context.Context, c *conf.Config, look Storage) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	name := conf.FSDefaultFS.Get(c)
	if err := look(ctx); err != nil {
		r.fail(failure.KindOf(err), "storage", "correct fs.defaultFS, or start the storage", "%s: %v", name, err)
		return
	}
	r.add(OK, "storage", "", "%s answers", name)
}

// jobTracker checks the connection to the JobTracker. It returns the status of the cluster, or nil
// if no JobTracker is configured or none answers.
func (r *Report) jobTracker(ctx context.Context, c *conf.Config, dial Dial) *status.Cluster {
	if onYARN(c) {
		r.add(Note, "JobTracker", "", "not used: jobs run on an existing YARN cluster "+
			"(mapreduce.framework.name=yarn)")
		return nil
	}
	address := conf.JobTrackerAddress.Get(c)
	if conf.FrameworkName.Get(c) == "yarn" {
		r.add(Note, "JobTracker", "", "not used: jobs run on YARN (mapreduce.framework.name)")
		return nil
	}
	if address == "" || address == "local" {
		r.add(Note, "JobTracker", "set $HOWDAH_CONF_DIR or use -jt host:port to use a cluster",
			"not configured: jobs run in this process on all cores")
		return nil
	}
	jobs, err := dial(address)
	if err != nil {
		r.failed("JobTracker", err)
		return nil
	}
	defer jobs.Close()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	start := time.Now()
	s, err := jobs.Cluster(ctx)
	if err != nil {
		r.failed("JobTracker", err)
		return nil
	}
	r.add(OK, "JobTracker", "", "%s answers in %v; howdah %s, scheduler %s, started %s, web page %s://%s", address,
		time.Since(start).Round(100*time.Microsecond), s.Version, s.Scheduler,
		time.UnixMilli(s.StartedMs).Format(time.DateTime), certs.Scheme(c), s.Web)
	r.journal(s)
	r.trackers(s)
	return s
}

func (r *Report) journal(s *status.Cluster) {
	if s.Disk != "" {
		r.fail(failure.DiskFull, "journal", "free space on the JobTracker's disk; until then, it answers no call that "+
			"changes anything", "%s", s.Disk)
	}
}

func (r *Report) trackers(s *status.Cluster) {
	var maps, reduces int32
	for _, t := range s.Trackers {
		if t.Blacklisted {
			r.add(Warn, "TaskTracker", "see its log; it gets work again when it is healthy", "%s gets no work: %s",
				t.Name, t.Why)
			continue
		}
		maps, reduces = maps+t.Maps.Total, reduces+t.Reduces.Total
	}
	switch {
	case len(s.Trackers) == 0:
		r.fail(failure.Node, "TaskTrackers", "start one: howdah tasktracker", "no TaskTracker has joined, "+
			"so no job can run")
	case maps == 0:
		r.fail(failure.Node, "TaskTrackers", "raise mapreduce.tasktracker.map.tasks.maximum",
			"%d joined, but without map slots", len(s.Trackers))
	default:
		r.add(OK, "TaskTrackers", "", "%d with %d map and %d reduce slots", len(s.Trackers), maps, reduces)
	}
}

// lowSpace is the free space, in bytes, below which a local directory causes a warning.
const lowSpace = 1 << 30

// localDirs checks the directories of a TaskTracker on this machine. A directory that this user
// cannot write to is a failure only if this user can run daemons.
func (r *Report) localDirs(c *conf.Config) {
	const check = "local directory"
	for _, dir := range conf.ClusterLocalDir.Get(c) {
		there := dir
		for !exists(there) && there != filepath.Dir(there) {
			there = filepath.Dir(there)
		}
		f, err := os.CreateTemp(there, ".howdah-doctor-*")
		if errors.Is(err, fs.ErrPermission) && !runsDaemons(c) {
			r.add(Note, check, "", "%s is not writable for this user, who does not run daemons", dir)
			continue
		}
		if err != nil {
			var e *fs.PathError // err contains the path of a temporary file
			if errors.As(err, &e) {
				err = e.Err
			}
			r.fail(failure.IO, check, "correct mapreduce.cluster.local.dir or the directory's permissions",
				"%s is not writable: %v", dir, err)
			continue
		}
		f.Close()
		os.Remove(f.Name())
		free, ok := freeSpace(there)
		switch {
		case !ok:
			r.add(OK, check, "", "%s is writable", dir)
		case free < lowSpace:
			r.add(Warn, check, "free some space or set mapreduce.cluster.local.dir to another disk",
				"%s has %d MiB free for map outputs and spills", dir, free>>20)
		default:
			r.add(OK, check, "", "%s is writable and has %d GiB free", dir, free>>30)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// ports reports whether the addresses of the daemons' web pages are free. cluster is the status of
// the cluster, or nil if no JobTracker answers. ports skips the JobTracker's address unless cluster
// is nil, and the TaskTracker's if a TaskTracker of the cluster runs on this machine.
func (r *Report) ports(c *conf.Config, cluster *status.Cluster) {
	var keys []string
	if cluster == nil {
		keys = append(keys, conf.JobTrackerHTTPAddress.Name)
	}
	if !runsTracker(c, cluster) {
		keys = append(keys, conf.TaskTrackerHTTPAddress.Name)
	}
	for _, key := range keys {
		address := c.Get(key)
		if _, _, err := net.SplitHostPort(address); err != nil {
			r.fail(failure.Config, "port", "set "+key+" to host:port", "%s is %q", key, address)
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			r.add(Note, "port", "this is expected if the daemon runs; otherwise set "+key, "%s is in use (%s)", address, key)
			continue
		}
		l.Close()
		r.add(OK, "port", "", "%s is free (%s)", address, key)
	}
}

// runsTracker reports whether one of the cluster's TaskTrackers runs on this machine.
func runsTracker(c *conf.Config, cluster *status.Cluster) bool {
	name, _ := os.Hostname()
	here := cmp.Or(conf.TaskTrackerHostName.Get(c), strings.ToLower(name))
	return cluster != nil && slices.ContainsFunc(cluster.Trackers, func(t *status.Tracker) bool { return t.Host == here })
}

// memory compares the memory that tasks need if all slots are in use with the machine's memory.
func (r *Report) memory(c *conf.Config) {
	total, ok := totalMemory()
	if !ok {
		return
	}
	var want int64
	for _, k := range []struct {
		slots  *conf.Int
		memory *conf.Memory
	}{
		{&conf.TaskTrackerMapTasksMaximum, &conf.MapMemoryMB},
		{&conf.TaskTrackerReduceTasksMaximum, &conf.ReduceMemoryMB},
	} {
		n, err := slots.Read(c, k.slots)
		if err != nil {
			r.fail(failure.Config, "memory", "", "%v", err)
			return
		}
		mb, err := k.memory.AtLeast(c, 1)
		if err != nil {
			r.fail(failure.Config, "memory", "", "%v", err)
			return
		}
		want += n * max(mb, 0) << 20
	}
	if want > total {
		r.add(Warn, "memory", "lower mapreduce.tasktracker.*.tasks.maximum or mapreduce.*.memory.mb",
			"all slots of one TaskTracker may use %d MiB, but the machine has %d MiB", want>>20, total>>20)
		return
	}
	r.add(OK, "memory", "", "%d MiB; all slots of one TaskTracker may use %d MiB", total>>20, want>>20)
}

func onYARN(c *conf.Config) bool { return conf.FrameworkName.Get(c) == "yarn" }

// neighbors reports whether Java and Hadoop are on this machine. If jobs run on YARN, it instead
// checks Hadoop's client, which submits them.
func (r *Report) neighbors(c *conf.Config) {
	names := []string{"java", "hadoop"}
	if onYARN(c) {
		names = nil
		if client, err := yarn.Client(); err != nil {
			r.fail(failure.KindOf(err), "hadoop", "", "%v", err)
		} else {
			r.add(OK, "hadoop", "", "%s submits jobs to YARN", client)
		}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			r.add(Note, name, "", "%s; howdah does not need it", path)
		} else {
			r.add(OK, name, "", "not found and not needed")
		}
	}
}
