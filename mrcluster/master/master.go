// Package master does for an MR-cluster what only its master's node can: it samples the JobTracker and the NameNode for the manager,
// and empties nodes that are to leave.
package master

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// Config is what a Master needs to know.
type Config struct {
	// Storage opens the file system of an MR-cluster that has one of its own.
	Storage func(nameNode, nameNodeHTTP string) (Storage, error)
	// Copy makes one copy for an MR-cluster, completely or not at all; paths without a scheme are on nameNode, if there is one. Without a
	// source its error wraps daemon.ErrMissing.
	Copy func(ctx context.Context, spec *mrcluster.Spec, nameNode string, c mrcluster.Copy) error
	// Every is the time between two looks; 0 = a second.
	Every time.Duration
	// OutputsWait is how long a leaving node may wait for jobs that need map outputs of it after all else has left it. Then its maps
	// run again elsewhere. 0 = a minute.
	OutputsWait time.Duration
	// Stuck is after what time without progress a drain has a problem; 0 = five minutes.
	Stuck time.Duration
	// Gone is after what time a TaskTracker is given up whose node neither stays nor leaves; 0 = five seconds.
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

// timeout bounds one look at an MR-cluster.
const timeout = 20 * time.Second

// Master implements daemon.Follower. A goroutine of its own looks at the MR-cluster; what it finds is kept for who asks.
type Master struct {
	cfg    Config
	cancel context.CancelFunc
	done   chan struct{}
	asked  chan struct{} // something was changed by Follow

	mu     sync.Mutex
	want   mrcluster.Desired
	at     node.Endpoints
	round  int64 // grows when other nodes are to leave
	sample *mrcluster.Sample
	drains []daemon.Draining

	// What follows belongs to the goroutine.
	tracker tracker
	storage storage
	leaving map[string]*leaver
	stays   since  // nodes that stay
	strange since  // TaskTrackers on nodes that neither stay nor leave
	problem string // that was logged last
}

var _ daemon.Follower = (*Master)(nil)

// New begins to follow; Follow says what.
func New(cfg Config) *Master {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Master{cfg: cfg.withDefaults(), cancel: cancel, done: make(chan struct{}), asked: make(chan struct{}, 1), leaving: map[string]*leaver{},
		stays: since{}, strange: since{}}
	m.storage.open = cfg.Storage
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

// Sample implements daemon.Follower. A sample is given once.
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

// say logs a problem once, until another one comes.
func (m *Master) say(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != m.problem && text != "" {
		m.mu.Lock()
		name := m.want.Cluster
		m.mu.Unlock()
		m.cfg.Log.Warn("an MR-cluster cannot be looked after", "cluster", name, "error", err)
	}
	m.problem = text
}

// look takes a sample and moves drains on.
func (m *Master) look(ctx context.Context) error {
	m.mu.Lock()
	want, at, round := m.want, m.at, m.round
	m.mu.Unlock()
	if at.JobTracker == "" || want.Spec == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	j, err := m.tracker.look(ctx, at.JobTracker)
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
