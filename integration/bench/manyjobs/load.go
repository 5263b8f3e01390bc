package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

const input = "a few words\n"

// load submits jobs and waits for them.
type load struct {
	cluster          *cluster
	dir, program     string
	clients, reduces int

	mu    sync.Mutex
	first job.ID // ID of the first job
}

// run runs n jobs whose indexes start at from. Each client runs one job at a time.
func (l *load) run(ctx context.Context, from, n int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var clients sync.WaitGroup
	for range min(l.clients, n) {
		clients.Go(func() {
			if err := l.client(ctx, next); err != nil {
				cancel(err)
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- from + i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	clients.Wait()
	return context.Cause(ctx)
}

// client runs the jobs whose indexes next delivers, one after another.
func (l *load) client(ctx context.Context, next <-chan int) error {
	c, err := l.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for i := range next {
		id, err := l.submit(ctx, c, i)
		if err != nil {
			return err
		}
		if i == 0 {
			l.mu.Lock()
			l.first = id
			l.mu.Unlock()
		}
		if _, err := c.Wait(ctx, id, nil); err != nil {
			return err
		}
		if err := os.RemoveAll(l.out(i)); err != nil {
			return err
		}
	}
	return nil
}

func (l *load) dial() (*client.Client, error) {
	cfg, err := l.cluster.conf()
	if err != nil {
		return nil, err
	}
	fs, err := schemes.Resolver(cfg, nil)
	if err != nil {
		return nil, err
	}
	return client.Dial(cfg, fs)
}

func (l *load) out(i int) string { return filepath.Join(l.dir, "out", strconv.Itoa(i)) }

// submit submits a wordcount of a single line.
func (l *load) submit(ctx context.Context, c *client.Client, i int) (job.ID, error) {
	in := filepath.Join(l.dir, "in")
	if err := os.WriteFile(in, []byte(input), 0o644); err != nil {
		return job.ID{}, err
	}
	cfg, err := l.cluster.conf()
	if err != nil {
		return job.ID{}, err
	}
	cfg.Set(conf.JobReduces.Name, strconv.Itoa(l.reduces), "manyjobs")
	mapreduce.AddInputPaths(cfg, in)
	mapreduce.SetOutputPath(cfg, l.out(i))
	s, err := c.Submit(ctx, client.Job{Name: "wordcount", Conf: cfg, Program: l.program, Splits: []mapreduce.Split{
		{Chunks: []mapreduce.Chunk{{Path: "file:" + in, Length: int64(len(input))}}, Length: int64(len(input))},
	}})
	if err != nil {
		return job.ID{}, err
	}
	return s.ID, nil
}

// checkFirst checks that the JobTracker still reports the success of the oldest job.
func (l *load) checkFirst(ctx context.Context) error {
	c, err := l.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	s, err := c.Status(ctx, l.first, status.Query{Counters: true})
	if err != nil {
		return fmt.Errorf("status of the first job: %w", err)
	}
	if s.State != job.Succeeded || s.Counters.Builtin[job.LaunchedMaps] == 0 {
		return fmt.Errorf("status of the first job: %s with %d maps", s.State, s.Counters.Builtin[job.LaunchedMaps])
	}
	return nil
}

// restart kills the JobTracker and starts a new one. It returns the time until the new JobTracker
// has accepted a job.
func (l *load) restart(ctx context.Context) (time.Duration, error) {
	if err := l.cluster.crash(ctx); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := l.cluster.startAgain(); err != nil {
		return 0, err
	}
	if err := l.listening(ctx); err != nil {
		return 0, err
	}
	c, err := l.dial()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	id, err := l.submit(ctx, c, -1)
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	_, err = c.Wait(ctx, id, nil)
	return took, err
}

// listening waits until the JobTracker accepts connections, because a client's retry interval would
// distort the measurement.
func (l *load) listening(ctx context.Context) error {
	cfg, err := l.cluster.conf()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", cfg.Get(conf.JobTrackerAddress.Name))
		if err == nil {
			return conn.Close()
		}
		if lifecycle.Sleep(ctx, 2*time.Millisecond) != nil {
			return failure.New(failure.Unreachable, "reach the JobTracker at", cfg.Get(conf.JobTrackerAddress.Name), err)
		}
	}
}
