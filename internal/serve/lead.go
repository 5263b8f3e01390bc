package serve

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// lead makes followers of MR-clusters.
func lead(*conf.Config, daemon.NodeConfig, *slog.Logger) func() daemon.Follower {
	return func() daemon.Follower {
		f := &follower{}
		ctx, cancel := context.WithCancel(context.Background())
		f.cancel = cancel
		f.done = make(chan struct{})
		go f.run(ctx)
		return f
	}
}

type follower struct {
	cancel context.CancelFunc
	done   chan struct{}
	mu     sync.Mutex
	want   mrcluster.Desired
	at     node.Endpoints
	sample *mrcluster.Sample
}

func (f *follower) Follow(d mrcluster.Desired, at node.Endpoints) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.want, f.at = d, at
}

func (f *follower) Sample() *mrcluster.Sample {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sample
	f.sample = nil
	return s
}

func (f *follower) Drains() (out []daemon.Draining) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.want.Leaving {
		out = append(out, daemon.Draining{Node: n, Done: true})
	}
	return out
}

func (f *follower) Copy(context.Context, []mrcluster.Copy) error {
	return failure.New(failure.Usage, "copy the data of an MR-cluster", f.want.Cluster, errors.New("agents cannot load and save"))
}

func (f *follower) Stop() { f.cancel(); <-f.done }

func (f *follower) run(ctx context.Context) {
	defer close(f.done)
	for ctx.Err() == nil {
		f.look(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (f *follower) look(ctx context.Context) {
	f.mu.Lock()
	addr := f.at.JobTracker
	f.mu.Unlock()
	if addr == "" {
		return
	}
	conn, err := rpc.Dial(addr, rpc.Options{})
	if err != nil {
		return
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	jobs := client.NewJobsClient(conn)
	l, err := jobs.List(ctx, &client.ListRequest{})
	if err != nil {
		return
	}
	s := &mrcluster.Sample{}
	for _, j := range l.Job {
		s.Jobs++
		run := int64(j.MapsRunning + j.ReducesRunning)
		s.RunningTasks += run
		if w := int64(j.Maps+j.Reduces-j.MapsDone-j.ReducesDone) - run; w > 0 {
			s.WaitingTasks += w
			s.WaitingJobs++
		}
	}
	f.mu.Lock()
	f.sample = s
	f.mu.Unlock()
}
