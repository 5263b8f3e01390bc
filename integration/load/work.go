package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

// work is everything that uses the JobTracker in addition to the TaskTrackers.
type work struct {
	c         *cluster
	o         options
	files     string                 // parent of the output directories
	measuring chan struct{}          // closed when the measurement starts
	last      atomic.Pointer[job.ID] // of the jobs that keep the slots busy
	polls     samples                // of clients that ask for the status of a job
	pages     samples
	committed atomic.Int64 // duration of the job with output files, in ms
	killed    atomic.Int64 // number of killed jobs
}

// fillers is the number of jobs that keep the slots busy. Each of them has a map for every slot.
const fillers = 3

// run starts the jobs that keep the slots busy. It starts everything else when the measurement starts,
// so that the TaskTrackers can register undisturbed. It calls fail for the first error.
func (w *work) run(ctx context.Context, group *sync.WaitGroup, fail func(error)) {
	start := func(n int, when <-chan struct{}, f func(context.Context, *client.Client) error) {
		for range n {
			group.Go(func() {
				<-when
				c, err := w.c.dial()
				if err == nil {
					defer c.Close()
					err = f(ctx, c)
				}
				if err != nil && ctx.Err() == nil {
					fail(err)
				}
			})
		}
	}
	now := make(chan struct{})
	close(now)
	start(fillers, now, w.fill)
	start(min(w.o.parts, 1), w.measuring, w.commit)
	start(min(w.o.big, 1), w.measuring, w.kill)
	start(w.o.clients, w.measuring, w.poll)
	start(w.o.browsers, w.measuring, w.browse)
}

// submit submits a job whose maps the simulated TaskTrackers run. output can be "".
func (w *work) submit(ctx context.Context, c *client.Client, maps int, output string, p job.Priority) (job.ID, error) {
	cfg := w.c.conf.Clone()
	cfg.Set(conf.JobReduces.Name, "0", "load")
	cfg.Set(conf.JobPriority.Name, p.String(), "load")
	if output != "" {
		mapreduce.SetOutputPath(cfg, output)
	}
	var s *client.Submitted
	err := persist(ctx, func() (err error) {
		s, err = c.Submit(ctx, client.Job{Name: "sleep", Conf: cfg, Program: w.o.howdah,
			Splits: make([]mapreduce.Split, maps)})
		return err
	})
	if err != nil {
		return job.ID{}, err
	}
	return s.ID, nil
}

// persist calls f until an overloaded JobTracker does not reject it or let it time out.
func persist(ctx context.Context, f func() error) error {
	for {
		err := f()
		busy := failure.Is(err, failure.Limit) || failure.Is(err, failure.Timeout) || failure.Is(err, failure.Unreachable)
		if !busy || lifecycle.Sleep(ctx, time.Second) != nil {
			return err
		}
	}
}

// fill runs jobs one after another.
func (w *work) fill(ctx context.Context, c *client.Client) error {
	for ctx.Err() == nil {
		id, err := w.submit(ctx, c, w.o.trackers*w.o.slots, "", job.Normal)
		if err != nil {
			return err
		}
		w.last.Store(&id)
		if err := wait(ctx, c, id); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for the end of a job.
func wait(ctx context.Context, c *client.Client, id job.ID) error {
	return persist(ctx, func() error {
		_, err := c.Wait(ctx, id, nil)
		return err
	})
}

// commit runs a job whose maps have output files.
func (w *work) commit(ctx context.Context, c *client.Client) error {
	begun := time.Now()
	id, err := w.submit(ctx, c, min(w.o.parts, w.o.trackers*w.o.slots), filepath.Join(w.files, "parts"), job.High)
	if err != nil {
		return err
	}
	if err := wait(ctx, c, id); err != nil {
		return err
	}
	w.committed.Store(time.Since(begun).Milliseconds())
	return nil
}

// kill submits large jobs and kills each of them after a while.
func (w *work) kill(ctx context.Context, c *client.Client) error {
	for {
		id, err := w.submit(ctx, c, w.o.big, "", job.Normal)
		if err != nil {
			return err
		}
		if lifecycle.Sleep(ctx, 10*time.Second) != nil {
			return nil
		}
		if err := persist(ctx, func() error { return c.Kill(ctx, id, "load") }); err != nil {
			return err
		}
		w.killed.Add(1)
	}
}

// poll asks for the status of a running job once a second.
func (w *work) poll(ctx context.Context, c *client.Client) error {
	return every(ctx, time.Second, func() {
		if id := w.last.Load(); id != nil {
			w.polls.time(func() error {
				_, err := c.Status(ctx, *id, status.Query{})
				return err
			})
		}
	})
}

// browse fetches one of three pages once a second. Like a browser, it keeps its connection.
func (w *work) browse(ctx context.Context, _ *client.Client) error {
	browser := &http.Client{Transport: &http.Transport{}}
	defer browser.CloseIdleConnections()
	return every(ctx, time.Second, func() {
		path := "/"
		switch id := w.last.Load(); {
		case id == nil:
		case rand.IntN(3) == 0:
			path = "/jobs/" + id.String()
		case rand.IntN(2) == 0:
			path = "/scheduler"
		}
		w.pages.time(func() error {
			_, err := fetch(ctx, browser, w.c.Web+path)
			return err
		})
	})
}

// every calls f once per period, with a random start, until ctx is done.
func every(ctx context.Context, period time.Duration, f func()) error {
	if lifecycle.Sleep(ctx, time.Duration(rand.Int64N(int64(period)))) != nil {
		return nil
	}
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		f()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func fetch(ctx context.Context, c *http.Client, url string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	got, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err == nil && got.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %s", url, got.Status)
	}
	return string(text), err
}
