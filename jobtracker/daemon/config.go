// Package daemon drives the JobTracker's machine: one goroutine owns it, a journal keeps its facts, gRPC and HTTP bring its
// inputs and carry its decisions.
package daemon

import (
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler/catalog"
)

// Config is everything a JobTracker needs to know. FromConf fills in what keys say; the rest is the caller's to set.
type Config struct {
	Machine   jobtracker.Config
	Conf      *conf.Config  // what the policy and its files are read from; nil = the defaults
	Catalog   catalog.Table // the policies that there are; nil = those that are built in
	Scheduler string        // mapreduce.jobtracker.taskscheduler; "" = the default one
	// Reload reads the configuration again for howdah admin -refreshQueues; nil = it stays as it is.
	Reload func() (*conf.Config, error)
	FS     dfs.Resolver // the JobTracker's own files
	// As gives the file systems in the name of a job's user, with the credentials that came with the job: staged files are read
	// there and outputs published. nil = FS serves all.
	As func(user string, credentials []byte) (fs dfs.Resolver, release func(), err error)
	// Principal is who the JobTracker is on a secured HDFS, and renews jobs' delegation tokens; "" = nobody.
	Principal string
	Log       *slog.Logger // nil = slog.Default()
	RPC       rpc.Options
	Version   string

	Dir         string // howdah.jobtracker.dir: journal, jobs' tokens, history; a local directory of this JobTracker alone
	Addr        string // mapreduce.jobtracker.address; port 0 = any
	HTTPAddr    string // mapreduce.jobtracker.http.address; port 0 = any
	SystemDir   string // mapreduce.jobtracker.system.dir: seen by all nodes
	StagingRoot string // mapreduce.jobtracker.staging.root.dir
	// Web makes the handler of the web pages from the JobTracker's own state; nil = only /metrics is served.
	Web func(*Daemon) http.Handler

	Queues      []Queue
	MaxConf     int64  // bytes of a job.xml, mapred.user.jobconf.limit
	HostsFile   string // mapreduce.jobtracker.hosts.filename: only these hosts may have TaskTrackers; "" = all
	ExcludeFile string // mapreduce.jobtracker.hosts.exclude.filename: these may not

	GossipAddr string   // howdah.gossip.address; "" = no gossip
	GossipJoin []string // howdah.gossip.join
	GossipKey  []byte   // howdah.gossip.key.file

	Done DoneHistory // finished jobs in Hadoop's own formats

	Orchestrator orchestrator.Settings // its zero value is off

	RecordInputs string // file that gets every input of the machine; "" = none
}

// The keys that are ours, and those that no other package names.
const (
	KeyDir        = "howdah.jobtracker.dir"
	KeyGossipAddr = "howdah.gossip.address"
	KeyGossipJoin = "howdah.gossip.join"
	KeyAddr       = "mapreduce.jobtracker.address"
	KeyHTTPAddr   = "mapreduce.jobtracker.http.address"
	KeySystemDir  = "mapreduce.jobtracker.system.dir"
	KeyStaging    = "mapreduce.jobtracker.staging.root.dir"
	KeyHosts      = "mapreduce.jobtracker.hosts.filename"
	KeyExclude    = "mapreduce.jobtracker.hosts.exclude.filename"
	KeyConfLimit  = "mapred.user.jobconf.limit"
	KeyMaxMessage = "ipc.maximum.data.length"

	keyAdmins = "mapreduce.cluster.administrators"
)

const defaultAddr = "127.0.0.1:9001"

// FromConf reads the settings of a JobTracker. FS and the like are the caller's to set.
func FromConf(c *conf.Config) (Config, error) {
	r := reader{conf.Reader{Conf: c}}
	cfg := Config{
		Machine:     machineConf(&r),
		Conf:        c,
		Scheduler:   c.Get(catalog.Key),
		Dir:         c.Get(KeyDir),
		Addr:        c.Get(KeyAddr),
		HTTPAddr:    c.Get(KeyHTTPAddr),
		SystemDir:   c.Get(KeySystemDir),
		StagingRoot: c.Get(KeyStaging),
		Queues:      queues(&r),
		MaxConf:     r.Int(KeyConfLimit, 5<<20, 1<<10, 32<<20),
		HostsFile:   c.Get(KeyHosts),
		ExcludeFile: c.Get(KeyExclude),
		GossipAddr:  c.Get(KeyGossipAddr),
		GossipJoin:  c.Strings(KeyGossipJoin),
		Done:        doneHistory(&r),
		RPC:         rpc.Options{MaxMessage: int(r.Int(KeyMaxMessage, 64<<20, 64<<10, 1<<30))},
	}
	if cfg.Addr == "" || cfg.Addr == "local" {
		cfg.Addr = defaultAddr
	}
	if cfg.Dir == "" {
		cfg.Dir = filepath.Join(c.Get("hadoop.tmp.dir"), "mapred", "jobtracker")
	}
	if c.Get(keyDone) == "" {
		if dir, err := filepath.Abs(filepath.Join(cfg.Dir, "done")); err == nil {
			cfg.Done.Dir = "file:" + filepath.ToSlash(dir)
		}
	}
	if r.Err == nil {
		cfg.Orchestrator, r.Err = orchestrator.FromConf(c)
	}
	if r.Err == nil {
		cfg.GossipKey, r.Err = gossip.ReadKey(c)
	}
	return cfg, r.Err
}

func machineConf(r *reader) jobtracker.Config {
	m := jobtracker.DefaultConfig()
	m.Expiry = r.Int("mapreduce.jobtracker.expire.trackers.interval", m.Expiry, 1000, 86_400_000)
	m.RecoveryGrace = r.Int("howdah.jobtracker.recovery.grace", m.RecoveryGrace, 0, 86_400_000)
	m.HeartbeatMin = r.Int("howdah.jobtracker.heartbeat.interval.min", m.HeartbeatMin, 1, 60_000)
	m.HeartbeatsPerSecond = r.Int("mapreduce.jobtracker.heartbeats.in.second", m.HeartbeatsPerSecond, 1, 100_000)
	m.EndWait = r.Int("howdah.jobtracker.end.wait", m.EndWait, 0, 3_600_000)
	m.MaxBlacklists = int32(r.Int("mapreduce.jobtracker.tasktracker.maxblacklists", int64(m.MaxBlacklists), 0, 1000))
	m.BlacklistWindow = r.Int("mapred.jobtracker.blacklist.fault-timeout-window", m.BlacklistWindow/60_000, 0, 1_000_000) * 60_000
	m.BlacklistAverage = r.millionths("mapred.cluster.average.blacklist.threshold", 0.5, 0, 100)
	m.CompletedPerUser = int(r.Int("mapred.jobtracker.completeuserjobs.maximum", int64(m.CompletedPerUser), 0, 100_000))
	m.CompletedTotal = int(r.Int("mapreduce.jobtracker.retiredjobs.cache.size", int64(m.CompletedTotal), 0, 1_000_000))
	m.MaxTasksPerJob = r.Int("mapreduce.jobtracker.maxtasks.perjob", m.MaxTasksPerJob, -1, 1_000_000)
	m.MaxJobs = int(r.Int("howdah.jobtracker.jobs.maximum", int64(m.MaxJobs), 0, 1_000_000))
	m.MaxTrackers = int(r.Int("howdah.jobtracker.trackers.maximum", int64(m.MaxTrackers), 0, 1_000_000))
	m.FetchNotices = int32(r.Int("mapreduce.reduce.shuffle.max-fetch-failures-notifications", int64(m.FetchNotices), 1, 1_000_000))
	m.FetchFraction = r.millionths("mapreduce.reduce.shuffle.max-fetch-failures-fraction", 0.5, 0, 1)
	m.SlotMemory = [2]int32{r.memory("mapreduce.cluster.mapmemory.mb"), r.memory("mapreduce.cluster.reducememory.mb")}
	m.MaxMemory = [2]int32{r.memory("mapreduce.jobtracker.maxmapmemory.mb"), r.memory("mapreduce.jobtracker.maxreducememory.mb")}
	return m
}

// validate refuses what cannot work and fills in what may be left out.
func (c *Config) validate() error {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Conf == nil {
		c.Conf = conf.New()
	}
	if c.FS == nil {
		return failure.New(failure.Config, "configure JobTracker", "FS", nil).Fix("give a resolver of file systems")
	}
	for key, value := range map[string]string{KeyDir: c.Dir, KeySystemDir: c.SystemDir, KeyStaging: c.StagingRoot} {
		if value == "" {
			return failure.New(failure.Config, "configure JobTracker", key, nil).Fix("name a directory")
		}
	}
	for key, value := range map[string]string{KeyAddr: c.Addr, KeyHTTPAddr: c.HTTPAddr} {
		if _, _, err := net.SplitHostPort(value); err != nil {
			return c.refuse(key, value, err).Fix("give it as host:port")
		}
	}
	if c.Catalog == nil {
		c.Catalog = catalog.Builtin()
	}
	if len(c.Queues) == 0 {
		c.Queues = []Queue{{Name: defaultQueue}}
	}
	if c.MaxConf == 0 {
		c.MaxConf = 5 << 20
	}
	return c.Machine.Validate()
}

// refuse makes an error about a value, which need not be that of the configuration.
func (c *Config) refuse(key, value string, why error) *failure.Error {
	if c.Conf.Get(key) == value {
		return c.Conf.Refuse(key, why)
	}
	return failure.New(failure.Config, "configure JobTracker", key, why)
}

// reader reads what more than one place here wants to know.
type reader struct{ conf.Reader }

// memory reads MiB; -1 = the setting is off.
func (r *reader) memory(key string) int32 { return int32(r.Int(key, -1, -1, 1<<20)) }

func (r *reader) taskMemory(key string) int32 {
	mb, err := r.Conf.TaskMemory(key, 128)
	r.Note(err)
	return int32(mb)
}

// millionths reads a share as the machine counts it.
func (r *reader) millionths(key string, def, lo, hi float64) int64 {
	return int64(r.Float(key, def, lo, hi)*1e6 + 0.5)
}

// clusterID is the identifier inside job ids: the minute of the JobTracker's first start, as in Hadoop 1.
func clusterID(now time.Time) string { return now.Format("200601021504") }
