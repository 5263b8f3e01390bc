// Package daemon runs a TaskTracker around the pure state machine of package tasktracker. It sends
// heartbeats over gRPC, fetches jobs' files, runs attempts as child processes, serves their map
// output and logs over HTTP, and watches the local disks.
//
// Start with New and a Config, which FromConf reads from Hadoop's keys. Then call Daemon.Run.
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
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/slots"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
)

// Config holds the settings of a TaskTracker. FromConf fills in the fields that have Hadoop keys.
type Config struct {
	// JobTracker returns the JobTracker's RPC address, host:port. The TaskTracker calls it again
	// whenever the JobTracker does not respond.
	JobTracker func(context.Context) (string, error)
	FS         dfs.Resolver // file systems for the TaskTracker's own files
	// As returns the file systems of a job's user, opened with the job's credentials. The
	// TaskTracker uses them to read staged files and programs. If As is nil, it uses FS.
	As      func(user string, credentials []byte) (fs dfs.Resolver, release func(), err error)
	Program program.Program // program of the children; the zero value means the running executable
	Log     *slog.Logger    // nil means slog.Default()
	RPC     rpc.Options
	Mode    auth.Mode       // description of what protects the TaskTracker, for its log
	ACLs    *acl.Rules      // who may read the logs; nil means all users
	Guard   *webguard.Guard // protects the web server; nil means a guard without host names
	PIDFile string          // file that receives the process ID once the local directories are locked; "" means none

	Host     string // name that the JobTracker matches with the hosts of splits; "" means the host name (slave.host.name)
	Rack     string // "" means /default-rack
	HTTPAddr string // mapreduce.tasktracker.http.address; port 0 means any
	// HTTPThreads limits the number of concurrent map-output requests
	// (mapreduce.tasktracker.http.threads); 0 means 40.
	HTTPThreads int
	// ShuffleRate limits the rate of the map-output server in bytes per second
	// (howdah.shuffle.throttle); 0 means no limit.
	ShuffleRate int64

	Slots       [2]int32      // mapred.tasktracker.{map,reduce}.tasks.maximum
	Memory      int32         // MiB for tasks, as reported to the JobTracker; 0 means not reported
	VCores      int32         // 0 means not reported
	Warm        int32         // howdah.tasktracker.warm.children: number of children to start in advance
	ChildJobs   int32         // howdah.tasktracker.child.jobs: number of jobs per child; 0 means 1
	WaitForWork bool          // howdah.tasktracker.wait-for-work: receive work between heartbeats
	KillDelay   time.Duration // mapred.tasktracker.tasks.sleeptime-before-sigkill

	LocalDirs     []string      // mapreduce.cluster.local.dir
	MinSpaceStart int64         // bytes, mapred.local.dir.minspacestart: no attempts in directories with less space
	MinSpaceKill  int64         // bytes, mapred.local.dir.minspacekill: kills attempts while all have less space
	CacheSize     int64         // bytes, mapreduce.tasktracker.cache.local.size: above it, unused cache files are removed
	DiskCheck     time.Duration // mapred.disk.healthChecker.interval; 0 means one minute
	// LoadInterval is the interval for measuring the load of other programs
	// (howdah.tasktracker.other-load.interval); 0 means no measurement.
	LoadInterval time.Duration
	// Archives limits the unpacking of archives (howdah.archive.maximum.ratio and .entries).
	Archives distcache.ArchiveLimits
	// LogLimit is the maximum size in bytes of each of an attempt's logs, even if a job sets a
	// larger one (mapreduce.task.userlog.limit.kb); 0 means no limit.
	LogLimit     int64
	LogDir       string                // hadoop.log.dir; attempts log below userlogs/
	LogRetain    time.Duration         // mapred.userlog.retain.hours, from a job's end; 0 means 24 h
	Groups       GroupConfig           // howdah.tasktracker.cgroups
	Users        UserConfig            // howdah.tasktracker.run-as
	Env          []string              // howdah.tasktracker.env-whitelist: variables that tasks inherit
	Processes    int64                 // howdah.tasktracker.task.processes; 0 means no limit
	Orchestrator orchestrator.Settings // the zero value means off

	// image is the path of the file to execute for Program. If Program is the running executable,
	// the path leads to that executable even if another file has replaced it on disk.
	image string
}

// FromConf reads the settings of a TaskTracker. The caller sets JobTracker and FS.
func FromConf(c *conf.Config) (Config, error) {
	r := reader{conf.Reader{Conf: c}}
	cfg := Config{
		Host:          conf.TaskTrackerHostName.Get(c),
		HTTPAddr:      conf.TaskTrackerHTTPAddress.Get(c),
		HTTPThreads:   int(conf.TaskTrackerHTTPThreads.From(&r)),
		ShuffleRate:   conf.ShuffleThrottle.From(&r),
		Slots:         [2]int32{r.slots(&conf.TaskTrackerMapTasksMaximum), r.slots(&conf.TaskTrackerReduceTasksMaximum)},
		Warm:          int32(conf.TaskTrackerWarmChildren.From(&r)),
		ChildJobs:     int32(conf.TaskTrackerChildJobs.From(&r)),
		WaitForWork:   conf.TaskTrackerWaitForWork.From(&r),
		KillDelay:     r.millis(&conf.TaskTrackerTasksSleepTimeBeforeSIGKILL),
		LocalDirs:     conf.ClusterLocalDir.Get(c),
		MinSpaceStart: conf.TaskTrackerLocalDirMinSpaceStart.From(&r),
		MinSpaceKill:  conf.TaskTrackerLocalDirMinSpaceKill.From(&r),
		CacheSize:     conf.TaskTrackerCacheLocalSize.From(&r),
		DiskCheck:     r.millis(&conf.DiskHealthCheckerInterval),
		LoadInterval:  r.millis(&conf.TaskTrackerOtherLoadInterval),
		Memory:        int32(conf.TaskTrackerMemoryMB.From(&r)),
		VCores:        int32(conf.TaskTrackerVCores.From(&r)),
		LogDir:        conf.HadoopLogDir.Get(c),
		LogRetain:     time.Duration(conf.JobUserLogRetainHours.From(&r)) * time.Hour,
		Groups:        r.groups(),
		Users:         UsersFromConf(&r.Reader),
		Env:           conf.TaskTrackerEnvWhitelist.Get(c),
		Processes:     conf.TaskTrackerTaskProcesses.From(&r),
	}
	cfg.Archives = distcache.ArchiveLimits{Ratio: conf.ArchiveMaximumRatio.From(&r),
		Entries: conf.ArchiveMaximumEntries.From(&r)}
	cfg.ACLs = acl.FromConf(&r.Reader)
	cfg.LogLimit = conf.TaskUserLogLimitKB.From(&r) << 10
	cfg.RPC.MaxMessage = int(conf.IPCMaximumDataLength.From(&r))
	if r.Err == nil {
		s, err := orchestrator.FromConf(c)
		cfg.Orchestrator = s
		r.Note(err)
	}
	// By default, the node's memory and vcores are derived from its slots.
	n := cfg.Slots[job.Map] + cfg.Slots[job.Reduce]
	if cfg.Memory == 0 {
		cfg.Memory = n * int32(conf.MapMemoryMB.BuiltIn())
	}
	if cfg.VCores == 0 {
		cfg.VCores = n
	}
	if cfg.LogDir == "" {
		cfg.LogDir = filepath.Join(conf.HadoopTmpDir.Get(c), "logs")
	}
	if _, _, err := net.SplitHostPort(cfg.HTTPAddr); err != nil {
		r.Note(c.Refuse(conf.TaskTrackerHTTPAddress.Name, err).Fix("use the form host:port"))
	}
	r.Note(auth.CheckNode(c, conf.TaskTrackerHTTPAddress.Name, cfg.HTTPAddr))
	if r.Err == nil {
		cfg.RPC.Proof, r.Err = auth.LoadNodeProof(c, auth.JobTracker)
	}
	var secret *auth.Secret // a node with only a token or a keytab asks the JobTracker to identify visitors
	if r.Err == nil && cfg.RPC.Proof.Secret() {
		secret, r.Err = auth.Load(c)
	}
	r.Note(cfg.setHost())
	if r.Err == nil {
		cfg.RPC.TLS, r.Err = certs.Open(c, secret, certs.Holder{Roles: []certs.Role{certs.TaskTracker(cfg.Host)},
			Hosts: certs.Addresses(append(conf.SecurityWebHosts.Get(c), cfg.Host, cfg.HTTPAddr)...)})
	}
	cfg.RPC.Server, cfg.RPC.Undated = certs.JobTracker, true
	cfg.Mode = auth.NewMode(c, cfg.RPC.Proof, cfg.Users.Mode())
	cfg.Guard = webguard.New(secret, append(conf.SecurityWebHosts.Get(c), cfg.HTTPAddr, cfg.Host)...)
	cfg.Guard.TLS = cfg.RPC.TLS
	return cfg, r.Err
}

// reader adds methods for settings that need a conversion.
type reader struct{ conf.Reader }

func (r *reader) slots(key *conf.Int) int32 {
	n, err := slots.Read(r.Conf, key)
	r.Note(err)
	return int32(n)
}

func (r *reader) millis(key *conf.Int) time.Duration {
	return time.Duration(key.From(r)) * time.Millisecond
}

// Validate rejects invalid settings and fills in defaults.
func (c *Config) Validate() error {
	switch {
	case c.JobTracker == nil:
		return bad("JobTracker", "the JobTracker's address is unknown", "set mapreduce.jobtracker.address or --join")
	case c.FS == nil:
		return bad("FS", "no file systems", "set fs.defaultFS")
	case len(c.LocalDirs) == 0:
		return bad(conf.ClusterLocalDir.Name, "no local directory", "name one or more directories")
	case c.LogDir == "":
		return bad(conf.HadoopLogDir.Name, "no log directory", "name a directory")
	case c.Slots[job.Map] < 0 || c.Slots[job.Reduce] < 0 || c.Slots[job.Map]+c.Slots[job.Reduce] == 0:
		return bad(conf.TaskTrackerMapTasksMaximum.Name+", "+conf.TaskTrackerReduceTasksMaximum.Name,
			fmt.Sprintf("%d map and %d reduce slots", c.Slots[job.Map],
				c.Slots[job.Reduce]), "at least one slot is needed")
	case c.Warm < 0 || c.ChildJobs < 0 || c.KillDelay < 0 || c.MinSpaceStart < 0 || c.MinSpaceKill < 0:
		return bad("TaskTracker", "negative setting", "use 0 or more")
	}
	for _, d := range append([]string{c.LogDir}, c.LocalDirs...) {
		if !filepath.IsAbs(d) {
			return bad(conf.ClusterLocalDir.Name+", "+conf.HadoopLogDir.Name, d+" is relative", "name absolute directories")
		}
	}
	if c.ACLs == nil {
		c.ACLs = &acl.Rules{Me: passwd.Me()}
	}
	if _, _, err := net.SplitHostPort(c.HTTPAddr); err != nil {
		return bad(conf.TaskTrackerHTTPAddress.Name, err.Error(), "use the form host:port")
	}
	return c.fill()
}

func (c *Config) fill() error {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Guard == nil {
		c.Guard = webguard.New(c.RPC.Secret, c.Host)
	}
	if c.Rack == "" {
		c.Rack = "/default-rack"
	}
	if c.DiskCheck <= 0 {
		c.DiskCheck = time.Duration(conf.DiskHealthCheckerInterval.BuiltIn()) * time.Millisecond
	}
	if c.LogRetain <= 0 {
		c.LogRetain = time.Duration(conf.JobUserLogRetainHours.BuiltIn()) * time.Hour
	}
	if c.CacheSize <= 0 {
		c.CacheSize = conf.TaskTrackerCacheLocalSize.BuiltIn()
	}
	if c.HTTPThreads <= 0 {
		c.HTTPThreads = int(conf.TaskTrackerHTTPThreads.BuiltIn())
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
	return c.setHost()
}

// setHost sets Host to its default if it is not set.
func (c *Config) setHost() error {
	if c.Host != "" {
		return nil
	}
	name, err := os.Hostname()
	if err != nil {
		return failure.New(failure.Config, "find the host's name", "", err).Fix("set mapreduce.tasktracker.host.name")
	}
	c.Host = strings.ToLower(name)
	return nil
}

func bad(on, why, remedy string) error {
	return failure.New(failure.Config, "configure TaskTracker:", on, fmt.Errorf("%s", why)).Fix(remedy)
}
