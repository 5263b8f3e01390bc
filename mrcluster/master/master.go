// Package master performs the tasks of an MR-cluster that only its master node can perform. It
// samples the JobTracker and the NameNode for the manager, and it drains leaving nodes. Start with
// New, which returns a Master.
package master

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// Config is the configuration of a Master.
type Config struct {
	// Conf contains the settings for connections to JobTrackers, such as the file of the secret.
	Conf *conf.Config
	// Storage connects to the NameNode of an MR-cluster with its own HDFS.
	Storage func(nameNode, nameNodeHTTP string) (Storage, error)
	// Copy makes one copy for an MR-cluster, completely or not at all. Paths without a scheme are
	// on nameNode unless it is empty. If the source does not exist, Copy's error wraps
	// daemon.ErrMissing.
	Copy func(ctx context.Context, spec *mrcluster.Spec, nameNode string, c mrcluster.Copy) error
	// Every is the interval between two looks; 0 means one second.
	Every time.Duration
	// OutputsWait limits how long a leaving node waits for jobs that still need its map outputs,
	// once it has no other work or data. After that, its maps run again elsewhere. 0 means one
	// minute.
	OutputsWait time.Duration
	// Stuck is how long a drain can make no progress before that counts as a problem; 0 means five
	// minutes.
	Stuck time.Duration
	// Gone is the time after which the master drains a TaskTracker whose node neither stays nor
	// leaves; 0 means five seconds.
	Gone time.Duration
	Log  *slog.Logger // nil = slog.Default()
}

func (c Config) withDefaults() Config {
	orElse := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	orElse(&c.Every, time.Second)
	orElse(&c.OutputsWait, time.Minute)
	orElse(&c.Stuck, 5*time.Minute)
	orElse(&c.Gone, 5*time.Second)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// timeout limits a single look at an MR-cluster.
const timeout = 20 * time.Second

// A Master implements daemon.Follower. Its goroutine monitors the MR-cluster and keeps the latest
// results for callers.
type Master struct {
	cfg    Config
	cancel context.CancelFunc
	done   chan struct{}
	asked  chan struct{} // signaled by Follow when the leaving nodes change

	mu     sync.Mutex
	want   mrcluster.Desired
	at     node.Endpoints
	void   []auth.Claims // tokens that the JobTracker must reject
	round  int64         // incremented when the set of leaving nodes changes
	sample *mrcluster.Sample
	drains []daemon.Draining

	// Only the goroutine uses the fields below.
	tracker tracker
	storage storage
	leaving map[string]*leaver
	stays   since  // staying nodes
	strange since  // TaskTrackers on nodes that neither stay nor leave
	problem string // problem in the last look; "" = none
}

var _ daemon.Follower = (*Master)(nil)

// New returns a Master and starts its goroutine. Follow sets the MR-cluster to monitor.
func New(cfg Config) *Master {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Master{cfg: cfg.withDefaults(), cancel: cancel, done: make(chan struct{}), asked: make(chan struct{}, 1),
		leaving: map[string]*leaver{}, stays: since{}, strange: since{}}
	m.storage.open, m.tracker.conf = cfg.Storage, cfg.Conf
	go m.run(ctx)
	return m
}

// Follow implements daemon.Follower.
func (m *Master) Follow(d mrcluster.Desired, at node.Endpoints) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Equal(d.Leaving, m.want.Leaving) {
		m.round++
		m.drains = slices.DeleteFunc(m.drains, func(x daemon.Draining) bool { return !slices.Contains(d.Leaving, x.Node) })
		select {
		case m.asked <- struct{}{}:
		default:
		}
	}
	d.Leaving = slices.Clone(d.Leaving)
	m.want, m.at = d, at
}

// Revoke implements daemon.Follower.
func (m *Master) Revoke(tokens []auth.Claims) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.void = tokens
}

// Sample implements daemon.Follower.
func (m *Master) Sample() *mrcluster.Sample {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sample
	m.sample = nil
	return s
}

// Drains implements daemon.Follower.
func (m *Master) Drains() []daemon.Draining {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.drains)
}

// Copy implements daemon.Follower.
func (m *Master) Copy(ctx context.Context, copies []mrcluster.Copy) error {
	m.mu.Lock()
	want, at := m.want, m.at
	m.mu.Unlock()
	if want.Spec == nil || want.Spec.HDFS && at.NameNode == "" {
		return failure.New(failure.Unreachable, "copy the data of MR-cluster", want.Cluster, errNoNameNode)
	}
	copyAll := func() (missing error) {
		for _, c := range copies {
			switch err := m.cfg.Copy(ctx, want.Spec, at.NameNode, c); {
			case errors.Is(err, daemon.ErrMissing):
				missing = errors.Join(missing, err)
			case err != nil:
				return err
			}
		}
		return missing
	}
	if !want.Saving {
		return copyAll()
	}
	return m.atRest(ctx, want.Cluster, at.JobTracker, copyAll)
}

// Stop implements daemon.Follower.
func (m *Master) Stop() {
	m.cancel()
	<-m.done
}

func (m *Master) run(ctx context.Context) {
	defer close(m.done)
	defer m.storage.close()
	defer m.tracker.close()
	for ctx.Err() == nil {
		err := m.look(ctx)
		if ctx.Err() == nil {
			m.say(err)
		}
		select {
		case <-ctx.Done():
		case <-m.asked:
		case <-time.After(m.cfg.Every):
		}
	}
}

// say logs a problem unless the previous look found the same one.
func (m *Master) say(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != m.problem && text != "" {
		m.mu.Lock()
		name := m.want.Cluster
		m.mu.Unlock()
		m.cfg.Log.Warn("cannot inspect the MR-cluster", "cluster", name, "error", err)
	}
	m.problem = text
}

// look takes a sample of the MR-cluster and advances its drains. Before that, it revokes tokens and
// opens or closes the JobTracker to new jobs.
func (m *Master) look(ctx context.Context) error {
	m.mu.Lock()
	want, at, round, void := m.want, m.at, m.round, m.void
	m.mu.Unlock()
	if at.JobTracker == "" || want.Spec == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	j, err := m.tracker.look(ctx, at.JobTracker)
	if err == nil {
		err = m.tracker.revoke(ctx, void)
	}
	if err == nil {
		err = gate(ctx, want, j)
	}
	if err != nil {
		return err
	}
	var s *stores
	if want.Spec.HDFS {
		if s, err = m.storage.look(ctx, at, len(want.Leaving) > 0); err != nil {
			return err
		}
	}
	drains, err := m.drain(ctx, want.Leaving, want.Staying, j, s)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sample = sample(j, s, want.Spec.Core)
	if round == m.round {
		m.drains = drains
	}
	return err
}
