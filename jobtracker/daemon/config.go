// Package daemon runs the JobTracker's state machine. One goroutine owns the machine. A journal
// keeps its facts, and gRPC and HTTP carry its inputs and decisions. Start with [Config] and [New].
package daemon

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/notify"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/archive"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler/catalog"
)

// Config is the configuration of a JobTracker. FromConf sets the fields that have keys; the caller
// sets the others.
type Config struct {
	Machine   jobtracker.Config
	Conf      *conf.Config  // source of the policy's settings and files; nil means the defaults
	Catalog   catalog.Table // the available policies; nil means the built-in ones
	Scheduler string        // mapreduce.jobtracker.taskscheduler; "" means the default
	// Reload reads the configuration again for howdah admin -refreshQueues. nil means that the
	// configuration never changes.
	Reload func() (*conf.Config, error)
	FS     dfs.Resolver // file systems of the JobTracker's own files
	// As returns the file systems for a job's user, with the credentials that the client submitted.
	// The JobTracker uses it to read staged files and to publish outputs. If As is nil, FS serves
	// all users.
	As func(user string, credentials []byte) (fs dfs.Resolver, release func(), err error)
	// Principal is the JobTracker's principal on a secured HDFS, with which it renews the jobs'
	// delegation tokens. "" means none.
	Principal string
	Log       *slog.Logger // nil means slog.Default()
	RPC       rpc.Options
	Acting    *auth.Acting // who may act for which users; nil means that there are no proxy users
	Version   string

	// Dir (howdah.jobtracker.dir) is a local directory for the journal, the jobs' tokens, and the
	// history. Only this JobTracker uses it.
	Dir         string
	Disk        disk.FS // file system for changes in Dir; nil means disk.OS. Tests replace it.
	Addr        string  // mapreduce.jobtracker.address; port 0 means any free port
	HTTPAddr    string  // mapreduce.jobtracker.http.address; port 0 means any free port
	SystemDir   string  // mapreduce.jobtracker.system.dir, which all nodes can access
	StagingRoot string  // mapreduce.jobtracker.staging.root.dir
	// Web returns the handler of the web pages, which show the JobTracker's state. If Web is nil, the
	// JobTracker serves only /metrics and /journal.
	Web func(*Daemon) http.Handler
	// Process is what administrators can look into on the web port; nil means only /metrics.
	Process *inspect.Process

	Mode  auth.Mode       // the security mode, which the JobTracker logs
	Guard *webguard.Guard // protects the web server; nil means one without host names

	RetiredJobs int   // number of ended jobs that remain listed, mapreduce.jobtracker.retiredjobs.cache.size
	MaxConf     int64 // maximum size of a job.xml in bytes, mapred.user.jobconf.limit
	// MaxSplitMeta is the maximum size of a job.splitmetainfo in bytes,
	// mapreduce.job.split.metainfo.maxsize; 0 means the default.
	MaxSplitMeta int64
	// UserJobs is the maximum number of a user's unfinished jobs. UserConf is the maximum memory of
	// their configurations, credentials, and splits, in bytes. 0 means no limit.
	// howdah.jobtracker.user.jobs.maximum, howdah.jobtracker.user.conf.maximum.
	UserJobs, UserConf int64
	// Registrations is the maximum number of registrations of TaskTrackers per second; 0 means the
	// default. howdah.jobtracker.registrations.second.
	Registrations int64
	Notify        notify.Policy // which hosts the JobTracker calls at the end of jobs
	HostsFile     string        // mapreduce.jobtracker.hosts.filename: hosts that can have TaskTrackers; "" means all
	ExcludeFile   string        // mapreduce.jobtracker.hosts.exclude.filename: hosts that must not have TaskTrackers

	GossipAddr string   // howdah.gossip.address; "" means no gossip
	GossipJoin []string // howdah.gossip.join
	GossipKey  []byte   // howdah.gossip.key.file

	Export archive.ExportConfig // export of finished jobs in Hadoop's own formats

	Orchestrator orchestrator.Settings // the zero value disables it

	Advice Advice // the zero value means that the JobTracker follows no advice

	RecordInputs string // name of the file that records every input of the machine; "" means none
	PIDFile      string // file that receives the process ID once Dir is locked; "" means none
}

// FromConf reads the settings of a JobTracker. The caller sets FS and the other fields without
// keys.
func FromConf(c *conf.Config) (Config, error) {
	r := reader{conf.Reader{Conf: c}}
	cfg := Config{
		Machine:     machineConf(&r),
		Conf:        c,
		Scheduler:   conf.JobTrackerTaskScheduler.Get(c),
		Dir:         conf.JobTrackerDir.Get(c),
		Addr:        conf.JobTrackerAddress.Get(c),
		HTTPAddr:    conf.JobTrackerHTTPAddress.Get(c),
		SystemDir:   conf.JobTrackerSystemDir.Get(c),
		StagingRoot: conf.JobTrackerStagingRootDir.Get(c),
		RetiredJobs: int(conf.JobTrackerRetiredJobsCacheSize.From(&r)),
		MaxConf:     conf.UserJobConfLimit.From(&r),

		MaxSplitMeta:  conf.JobSplitMetaInfoMaxSize.From(&r),
		UserJobs:      conf.JobTrackerUserJobsMaximum.From(&r),
		UserConf:      conf.JobTrackerUserConfMaximum.From(&r),
		Registrations: conf.JobTrackerRegistrationsSecond.From(&r),

		HostsFile:   conf.JobTrackerHostsFileName.Get(c),
		ExcludeFile: conf.JobTrackerHostsExcludeFileName.Get(c),
		GossipAddr:  conf.GossipAddress.Get(c),
		GossipJoin:  conf.GossipJoin.Get(c),
		RPC: rpc.Options{MaxMessage: int(conf.IPCMaximumDataLength.From(&r)),
			Memory: conf.IPCMemory.From(&r)},
		Acting: auth.NewActing(c),
	}
	if cfg.Addr == "" || cfg.Addr == "local" {
		cfg.Addr = conf.LocalJobTracker
	}
	if cfg.Dir == "" {
		cfg.Dir = filepath.Join(conf.HadoopTmpDir.Get(c), "mapred", "jobtracker")
	}
	cfg.Export = archive.ExportFromConf(&r.Reader)
	cfg.Advice = adviceFromConf(&r)
	if r.Err == nil {
		cfg.Orchestrator, r.Err = orchestrator.FromConf(c)
	}
	if r.Err == nil {
		cfg.RPC.Secret, r.Err = auth.Load(c)
	}
	if r.Err == nil {
		cfg.RPC.Logins, r.Err = auth.JobTracker.Logins(c)
	}
	if r.Err == nil {
		cfg.RPC.Addresses, r.Err = auth.LoadAddresses(c)
	}
	if r.Err == nil {
		cfg.GossipKey, r.Err = auth.GossipKey(c, cfg.RPC.Secret)
	}
	commits := "job commit as user " + passwd.Me()
	if os.Geteuid() == 0 {
		commits = "job commit as users"
	}
	cfg.Mode = auth.NewMode(c, cfg.RPC.Secret.Proof(), cfg.RPC.Logins.Mode(), commits)
	if r.Err == nil {
		cfg.RPC.TLS, r.Err = certs.Open(c, cfg.RPC.Secret, certs.Holder{Roles: []certs.Role{certs.JobTracker},
			Hosts: certs.Addresses(append(conf.SecurityWebHosts.Get(c), cfg.Addr, cfg.HTTPAddr)...)})
	}
	cfg.Guard = webguard.New(cfg.RPC.Secret,
		append(conf.SecurityWebHosts.Get(c), cfg.HTTPAddr, webguard.Name(cfg.Addr))...)
	cfg.Guard.TLS = cfg.RPC.TLS
	if r.Err == nil {
		cfg.Notify, r.Err = notify.ReadPolicy(c, onlyLoopback(cfg.Addr, cfg.HTTPAddr))
	}
	for _, bind := range [][2]string{{conf.JobTrackerAddress.Name, cfg.Addr}, {conf.JobTrackerHTTPAddress.Name,
		cfg.HTTPAddr},
		{conf.GossipAddress.Name, cfg.GossipAddr}} {
		r.Note(auth.CheckBind(c, bind[0], bind[1]))
	}
	return cfg, r.Err
}

// onlyLoopback reports whether all addresses are loopback addresses, which other hosts cannot
// reach.
func onlyLoopback(addrs ...string) bool {
	for _, addr := range addrs {
		host, _, err := net.SplitHostPort(addr)
		if err != nil || host != "localhost" && !net.ParseIP(host).IsLoopback() {
			return false
		}
	}
	return true
}

// MachineFromConf returns the configuration of the JobTracker's machine. If a setting is invalid, the
// error contains its key.
func MachineFromConf(c *conf.Config) (jobtracker.Config, error) {
	r := reader{conf.Reader{Conf: c}}
	return machineConf(&r), r.Err
}

func machineConf(r *reader) jobtracker.Config {
	m := jobtracker.DefaultConfig()
	m.Expiry = conf.JobTrackerExpireTrackersInterval.From(r)
	m.RecoveryGrace = conf.JobTrackerRecoveryGrace.From(r)
	m.HeartbeatMin = conf.JobTrackerHeartbeatIntervalMin.From(r)
	m.HeartbeatsPerSecond = conf.JobTrackerHeartbeatsInSecond.From(r)
	m.EndWait = conf.JobTrackerEndWait.From(r)
	m.MaxBlacklists = int32(conf.JobTrackerTaskTrackerMaxBlacklists.From(r))
	m.BlacklistWindow = conf.JobTrackerBlacklistFaultTimeoutWindow.From(r) * 60_000
	m.BlacklistAverage = r.millionths(&conf.ClusterAverageBlacklistThreshold)
	m.CompletedPerUser = int(conf.JobTrackerCompleteUserJobsMaximum.From(r))
	m.CompletedMemory = conf.JobTrackerUserConfMaximum.From(r) / 4
	m.MaxTasksPerJob = conf.JobTrackerMaxTasksPerJob.From(r)
	m.MaxJobs = int(conf.JobTrackerJobsMaximum.From(r))
	m.MaxTrackers = int(conf.JobTrackerTrackersMaximum.From(r))
	m.FetchNotices = int32(conf.ReduceShuffleMaxFetchFailuresNotifications.From(r))
	m.FetchFraction = r.millionths(&conf.ReduceShuffleMaxFetchFailuresFraction)
	m.SlotMemory = [2]int32{r.memory(&conf.ClusterMapMemoryMB), r.memory(&conf.ClusterReduceMemoryMB)}
	m.MaxMemory = [2]int32{r.memory(&conf.JobTrackerMaxMapMemoryMB), r.memory(&conf.JobTrackerMaxReduceMemoryMB)}
	return m
}

// validate rejects invalid settings and fills in defaults.
func (c *Config) validate() error {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Conf == nil {
		c.Conf = conf.New()
	}
	if c.FS == nil {
		return failure.New(failure.Config, "configure JobTracker", "FS", nil).Fix("set Config.FS")
	}
	for key, value := range map[string]string{conf.JobTrackerDir.Name: c.Dir, conf.JobTrackerSystemDir.Name: c.SystemDir,
		conf.JobTrackerStagingRootDir.Name: c.StagingRoot} {
		if value == "" {
			return failure.New(failure.Config, "configure JobTracker", key, nil).Fix("name a directory")
		}
	}
	for key, value := range map[string]string{conf.JobTrackerAddress.Name: c.Addr,
		conf.JobTrackerHTTPAddress.Name: c.HTTPAddr} {
		if _, _, err := net.SplitHostPort(value); err != nil {
			return c.refuse(key, value, err).Fix("use the form host:port")
		}
	}
	if c.Catalog == nil {
		c.Catalog = catalog.Builtin()
	}
	for _, name := range c.Advice.Schedulers {
		if _, err := c.Catalog.Find(name); err != nil {
			return c.Conf.Refuse(conf.JobTrackerAdviceSchedulers.Name, err)
		}
	}
	if c.Guard == nil {
		c.Guard = webguard.New(c.RPC.Secret)
	}
	if c.Disk == nil {
		c.Disk = disk.OS
	}
	if c.Registrations == 0 {
		c.Registrations = conf.JobTrackerRegistrationsSecond.BuiltIn()
	}
	c.MaxConf = cmp.Or(c.MaxConf, conf.UserJobConfLimit.BuiltIn())
	c.MaxSplitMeta = cmp.Or(c.MaxSplitMeta, conf.JobSplitMetaInfoMaxSize.BuiltIn())
	return c.Machine.Validate()
}

// refuse returns the error for an invalid value of a field, which need not come from the
// configuration.
func (c *Config) refuse(key, value string, why error) *failure.Error {
	if c.Conf.Get(key) == value {
		return c.Conf.Refuse(key, why)
	}
	return failure.New(failure.Config, "configure JobTracker", key, why)
}

// reader reads settings and converts them to the types and units of this package.
type reader struct{ conf.Reader }

// memory reads a value in MiB. -1 means that the setting is off.
func (r *reader) memory(key *conf.Int) int32 { return int32(key.From(r)) }

func (r *reader) taskMemory(key *conf.Memory) int32 { return int32(key.From(r)) }

// millionths reads a fraction and converts it to millionths.
func (r *reader) millionths(key *conf.Float) int64 {
	return int64(key.From(r)*1e6 + 0.5)
}

// clusterID returns a new cluster identifier for job IDs. As in Hadoop 1, the identifier is the
// minute of the JobTracker's start. It applies only if the JobTracker has no journal yet.
func clusterID(now time.Time) string { return now.Format("200601021504") }
