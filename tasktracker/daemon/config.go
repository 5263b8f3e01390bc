// Package daemon drives the TaskTracker's machine: it beats over gRPC, fetches jobs' files, runs attempts as child processes,
// serves their map output and logs over HTTP and watches the local disks.
package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/slots"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
)

// Config is everything a TaskTracker needs to know. FromConf fills in what Hadoop's keys say.
type Config struct {
	// JobTracker finds the JobTracker's RPC address, host:port. It is asked again whenever the JobTracker does not answer.
	JobTracker func(context.Context) (string, error)
	FS         dfs.Resolver // the TaskTracker's own files
	// As gives the file systems in the name of a job's user, with the credentials that came with the job: staged files and programs
	// are read there. nil = FS serves all.
	As      func(user string, credentials []byte) (fs dfs.Resolver, release func(), err error)
	Program program.Program // what children run; the zero value is the running executable
	Log     *slog.Logger    // nil = slog.Default()
	RPC     rpc.Options

	Host     string // name by which the JobTracker matches the hosts of splits; "" = the machine's (slave.host.name)
	Rack     string // "" = /default-rack
	HTTPAddr string // mapred.task.tracker.http.address; port 0 = any
	// HTTPThreads bounds the map-output requests that are served at once (tasktracker.http.threads).
	HTTPThreads int
	// ShuffleRate slows the server of map outputs down to so many bytes a second; 0 = as fast as it can (howdah.shuffle.throttle).
	ShuffleRate int64

	Slots       [2]int32      // mapred.tasktracker.{map,reduce}.tasks.maximum
	Memory      int32         // MiB for tasks, told to the JobTracker; 0 = not told
	VCores      int32         // 0 = not told
	Warm        int32         // howdah.tasktracker.warm.children: started ahead; 0 = none
	WaitForWork bool          // howdah.tasktracker.wait-for-work: hear of work between beats
	KillDelay   time.Duration // mapred.tasktracker.tasks.sleeptime-before-sigkill

	LocalDirs     []string // mapreduce.cluster.local.dir
	MinSpaceStart int64    // bytes, mapred.local.dir.minspacestart: a directory with less takes no attempts
	MinSpaceKill  int64    // bytes, mapred.local.dir.minspacekill: with less everywhere, attempts are given up
	CacheSize     int64    // bytes, mapreduce.tasktracker.cache.local.size: unused copies of the distributed cache go when there are more
	DiskCheck     time.Duration
	LoadInterval  time.Duration         // howdah.tasktracker.other-load.interval; 0 = the load of others is not measured
	LogDir        string                // hadoop.log.dir; attempts log below userlogs/
	LogRetain     time.Duration         // mapred.userlog.retain.hours after a job has gone
	Groups        GroupConfig           // howdah.tasktracker.cgroups
	Orchestrator  orchestrator.Settings // its zero value is off

	// image is what is executed for Program: the running file itself, even when another one has taken its place on the disk.
	image string
}

// The keys that are ours.
const (
	KeyWarm        = "howdah.tasktracker.warm.children"
	KeyWaitForWork = "howdah.tasktracker.wait-for-work"
	KeyMemory      = "howdah.tasktracker.memory.mb"
	KeyVCores      = "howdah.tasktracker.vcores"
	KeyOtherLoad   = "howdah.tasktracker.other-load.interval"
)

// slotMemory is what a task asks for by default, in MiB.
const slotMemory = 1024

const (
	keyDirs      = "mapreduce.cluster.local.dir"
	keyLogDir    = "hadoop.log.dir"
	keyHTTP      = "mapreduce.tasktracker.http.address"
	keyDiskCheck = "mapred.disk.healthChecker.interval"
	keyCacheSize = "mapreduce.tasktracker.cache.local.size"
)

// FromConf reads the settings of a TaskTracker. JobTracker and FS are the caller's to set.
func FromConf(c *conf.Config) (Config, error) {
	r := reader{conf.Reader{Conf: c}}
	cfg := Config{
		Host:          c.Get("mapreduce.tasktracker.host.name"),
		HTTPAddr:      c.Get(keyHTTP),
		HTTPThreads:   int(r.Int("mapreduce.tasktracker.http.threads", 40, 1, 10000)),
		ShuffleRate:   r.Int("howdah.shuffle.throttle", 0, 0, 1<<40),
		Slots:         [2]int32{r.slots(slots.KeyMaps), r.slots(slots.KeyReduces)},
		Warm:          int32(r.Int(KeyWarm, 2, 0, 1000)),
		WaitForWork:   r.Bool(KeyWaitForWork, true),
		KillDelay:     r.millis("mapreduce.tasktracker.tasks.sleeptimebeforesigkill", 5000, 0, 3600_000),
		LocalDirs:     c.Strings(keyDirs),
		MinSpaceStart: r.Int("mapreduce.tasktracker.local.dir.minspacestart", 0, 0, 1<<62),
		MinSpaceKill:  r.Int("mapreduce.tasktracker.local.dir.minspacekill", 0, 0, 1<<62),
		CacheSize:     r.Size(keyCacheSize, distcache.DefaultLimit, 1<<20, 1<<50),
		DiskCheck:     r.millis(keyDiskCheck, 60_000, 100, 86_400_000),
		LoadInterval:  r.millis(KeyOtherLoad, 5000, 0, 3_600_000),
		Memory:        int32(r.Int(KeyMemory, 0, 0, 1<<30)),
		VCores:        int32(r.Int(KeyVCores, 0, 0, 100_000)),
		LogDir:        c.Get(keyLogDir),
		LogRetain:     time.Duration(r.Int("mapreduce.job.userlog.retain.hours", 24, 1, 8760)) * time.Hour,
		Groups:        r.groups(),
	}
	if r.Err == nil {
		s, err := orchestrator.FromConf(c)
		cfg.Orchestrator = s
		r.Note(err)
	}
	// Without a word about it a node has what its slots stand for.
	n := cfg.Slots[job.Map] + cfg.Slots[job.Reduce]
	if cfg.Memory == 0 {
		cfg.Memory = n * slotMemory
	}
	if cfg.VCores == 0 {
		cfg.VCores = n
	}
	if cfg.LogDir == "" {
		cfg.LogDir = filepath.Join(c.Get("hadoop.tmp.dir"), "logs")
	}
	if _, _, err := net.SplitHostPort(cfg.HTTPAddr); err != nil {
		r.Note(c.Refuse(keyHTTP, err).Fix("give it as host:port"))
	}
	return cfg, r.Err
}

// reader reads what is said in more than one way here.
type reader struct{ conf.Reader }

func (r *reader) slots(key string) int32 {
	n, err := slots.Read(r.Conf, key)
	r.Note(err)
	return int32(n)
}

func (r *reader) millis(key string, def, lo, hi int64) time.Duration {
	return time.Duration(r.Int(key, def, lo, hi)) * time.Millisecond
}

// Validate refuses what cannot work and fills in what may be left out.
func (c *Config) Validate() error {
	switch {
	case c.JobTracker == nil:
		return bad("JobTracker", "no way to find the JobTracker", "set mapreduce.jobtracker.address or --join")
	case c.FS == nil:
		return bad("FS", "no file systems", "set fs.defaultFS")
	case len(c.LocalDirs) == 0:
		return bad(keyDirs, "no local directory", "name one or several directories")
	case c.LogDir == "":
		return bad(keyLogDir, "no log directory", "name a directory")
	case c.Slots[job.Map] < 0 || c.Slots[job.Reduce] < 0 || c.Slots[job.Map]+c.Slots[job.Reduce] == 0:
		return bad(slots.KeyMaps+", "+slots.KeyReduces, fmt.Sprintf("%d map and %d reduce slots", c.Slots[job.Map], c.Slots[job.Reduce]), "at least one slot is needed")
	case c.Warm < 0 || c.KillDelay < 0 || c.MinSpaceStart < 0 || c.MinSpaceKill < 0:
		return bad("TaskTracker", "negative setting", "use 0 or more")
	}
	for _, d := range append([]string{c.LogDir}, c.LocalDirs...) {
		if !filepath.IsAbs(d) {
			return bad(keyDirs+", "+keyLogDir, d+" is relative", "name absolute directories")
		}
	}
	if _, _, err := net.SplitHostPort(c.HTTPAddr); err != nil {
		return bad(keyHTTP, err.Error(), "give it as host:port")
	}
	return c.fill()
}

func (c *Config) fill() error {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Rack == "" {
		c.Rack = "/default-rack"
	}
	if c.DiskCheck <= 0 {
		c.DiskCheck = time.Minute
	}
	if c.LogRetain <= 0 {
		c.LogRetain = 24 * time.Hour
	}
	if c.CacheSize <= 0 {
		c.CacheSize = distcache.DefaultLimit
	}
	if c.HTTPThreads <= 0 {
		c.HTTPThreads = 40
	}
	if c.Program == (program.Program{}) {
		self, err := program.Self()
		if err != nil {
			return err
		}
		c.Program, c.image = self, ownImage
	}
	if c.image == "" {
		c.image = c.Program.Path
	}
	if c.Host == "" {
		name, err := os.Hostname()
		if err != nil {
			return failure.New(failure.Config, "find the host's name", "", err).Fix("set mapreduce.tasktracker.host.name")
		}
		c.Host = strings.ToLower(name)
	}
	return nil
}

func bad(on, why, remedy string) error {
	return failure.New(failure.Config, "configure TaskTracker:", on, fmt.Errorf("%s", why)).Fix(remedy)
}
