package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/client/yarn"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/slots"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// configuration tells where settings come from and which of them do nothing.
func (r *Report) configuration(c *conf.Config) {
	r.add(OK, "configuration", "", "%d settings differ from the defaults, from %d sources", len(c.Properties(true)), len(c.Sources()))
	for _, w := range c.Warnings() {
		r.add(Warn, "configuration", "", "%s", w)
	}
}

// callTimeout bounds each question to a daemon.
const callTimeout = 5 * time.Second

func (r *Report) storage(ctx context.Context, c *conf.Config, look Storage) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	name := c.Get("fs.defaultFS")
	if err := look(ctx); err != nil {
		r.fail(failure.KindOf(err), "storage", "correct fs.defaultFS, or start the storage", "%s: %v", name, err)
		return
	}
	r.add(OK, "storage", "", "%s answers", name)
}

func (r *Report) jobTracker(ctx context.Context, c *conf.Config, dial Dial) {
	if onYARN(c) {
		r.add(Note, "JobTracker", "", "none is asked: jobs go to an existing YARN (mapreduce.framework.name=yarn)")
		return
	}
	address := c.Get("mapreduce.jobtracker.address")
	if c.Get("mapreduce.framework.name") == "yarn" {
		r.add(Note, "JobTracker", "", "none is asked: jobs go to YARN (mapreduce.framework.name)")
		return
	}
	if address == "" || address == "local" {
		r.add(Note, "JobTracker", "set $HOWDAH_CONF_DIR or -jt host:port to use a cluster", "none is configured: jobs run in this process on all cores")
		return
	}
	jobs, done, err := dial(address)
	if err != nil {
		r.fail(failure.KindOf(err), "JobTracker", "give mapreduce.jobtracker.address as host:port", "%v", err)
		return
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	start := time.Now()
	s, err := jobs.Cluster(ctx, &client.Empty{})
	if err != nil {
		r.fail(failure.Unreachable, "JobTracker", "start it (howdah jobtracker) or correct mapreduce.jobtracker.address", "%v", err)
		return
	}
	r.add(OK, "JobTracker", "", "%s answers in %v; howdah %s, scheduler %s, started %s, web page http://%s", address,
		time.Since(start).Round(100*time.Microsecond), s.Version, s.Scheduler, time.UnixMilli(s.StartedMs).Format(time.DateTime), s.Web)
	r.trackers(s)
}

func (r *Report) trackers(s *client.ClusterStatus) {
	var maps, reduces int32
	for _, t := range s.Tracker {
		if t.Blacklisted {
			r.add(Warn, "TaskTracker", "look at its log; it returns by itself when it is healthy", "%s gets no work: %s", t.Name, t.Why)
			continue
		}
		maps, reduces = maps+t.MapSlots, reduces+t.ReduceSlots
	}
	switch {
	case len(s.Tracker) == 0:
		r.fail(failure.Node, "TaskTrackers", "start one: howdah tasktracker", "none has joined: no job can run")
	case maps == 0:
		r.fail(failure.Node, "TaskTrackers", "raise mapreduce.tasktracker.map.tasks.maximum", "%d joined, but they have no map slots", len(s.Tracker))
	default:
		r.add(OK, "TaskTrackers", "", "%d with %d map and %d reduce slots", len(s.Tracker), maps, reduces)
	}
}

// lowSpace is the free space below which a local directory is worth a warning.
const lowSpace = 1 << 30

func (r *Report) localDirs(c *conf.Config) {
	for _, dir := range c.Strings("mapreduce.cluster.local.dir") {
		there := dir
		for !exists(there) && there != filepath.Dir(there) {
			there = filepath.Dir(there)
		}
		f, err := os.CreateTemp(there, ".howdah-doctor-*")
		if err != nil {
			r.fail(failure.IO, "local directory", "correct mapreduce.cluster.local.dir or the directory's permissions", "%s cannot be written: %v", dir, err)
			continue
		}
		f.Close()
		os.Remove(f.Name())
		free, ok := freeSpace(there)
		switch {
		case !ok:
			r.add(OK, "local directory", "", "%s can be written", dir)
		case free < lowSpace:
			r.add(Warn, "local directory", "free some space or set mapreduce.cluster.local.dir to another disk", "%s has %d MiB free: map outputs and spills go there", dir, free>>20)
		default:
			r.add(OK, "local directory", "", "%s can be written, %d GiB free", dir, free>>30)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// ports tells which of the daemons' addresses are taken.
func (r *Report) ports(c *conf.Config) {
	for _, key := range []string{"mapreduce.jobtracker.http.address", "mapreduce.tasktracker.http.address"} {
		address := c.Get(key)
		if _, _, err := net.SplitHostPort(address); err != nil {
			r.fail(failure.Config, "port", "give "+key+" as host:port", "%s is %q", key, address)
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			r.add(Note, "port", "fine if that is the daemon itself; otherwise set "+key, "%s is in use (%s)", address, key)
			continue
		}
		l.Close()
		r.add(OK, "port", "", "%s is free (%s)", address, key)
	}
}

// memory compares what all slots together may use with what the machine has.
func (r *Report) memory(c *conf.Config) {
	total, ok := totalMemory()
	if !ok {
		return
	}
	var want int64
	for _, k := range [][2]string{{slots.KeyMaps, "mapreduce.map.memory.mb"}, {slots.KeyReduces, "mapreduce.reduce.memory.mb"}} {
		n, err := slots.Read(c, k[0])
		if err != nil {
			r.fail(failure.Config, "memory", "", "%v", err)
			return
		}
		mb, err := c.TaskMemory(k[1], 1)
		if err != nil {
			r.fail(failure.Config, "memory", "", "%v", err)
			return
		}
		want += n * max(mb, 0) << 20
	}
	if want > total {
		r.add(Warn, "memory", "lower mapreduce.tasktracker.*.tasks.maximum or mapreduce.*.memory.mb", "all slots of one TaskTracker may use %d MiB, the machine has %d", want>>20, total>>20)
		return
	}
	r.add(OK, "memory", "", "%d MiB; all slots of one TaskTracker may use %d", total>>20, want>>20)
}

func onYARN(c *conf.Config) bool { return c.Get("mapreduce.framework.name") == "yarn" }

// neighbours says whether other runtimes are found. Hadoop's client is needed where jobs go to YARN, else none is.
func (r *Report) neighbours(c *conf.Config) {
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
			r.add(Note, name, "", "found at %s; howdah does not need it", path)
		} else {
			r.add(OK, name, "", "not found, and not needed")
		}
	}
}
