package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/mapreduce"
)

// rateReport is the result of a run with real TaskTrackers.
type rateReport struct {
	Machine string  `json:"machine"`
	What    string  `json:"what"`
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"per_second"`
	// CPU time for each job or map, in ms.
	JobTracker   float64 `json:"jobtracker_cpu_ms"`
	TaskTrackers float64 `json:"tasktrackers_cpu_ms"` // includes the children
	Generator    float64 `json:"generator_cpu_ms,omitempty"`
}

// rate measures f, which does n things on a cluster with a number of TaskTrackers.
func (c *cluster) rate(what string, n, trackers int, f func() error) (*rateReport, error) {
	used := func() (jt, tt use, err error) {
		if jt, err = c.used("jobtracker"); err != nil {
			return jt, tt, err
		}
		for i := 1; i <= trackers; i++ {
			one, err := c.used("tasktracker-" + strconv.Itoa(i))
			if err != nil {
				return jt, tt, err
			}
			tt.cpu += one.cpu
		}
		return jt, tt, nil
	}
	jt, tt, err := used()
	if err != nil {
		return nil, err
	}
	begun, own := time.Now(), ownCPU()
	if err := f(); err != nil {
		return nil, err
	}
	took, generator := time.Since(begun).Seconds(), ownCPU()-own
	jtEnd, ttEnd, err := used()
	if err != nil {
		return nil, err
	}
	each := func(d time.Duration) float64 { return ms(d) / float64(n) }
	return &rateReport{Machine: machine(), What: what, Count: n, Seconds: took, Rate: float64(n) / took,
		JobTracker: each(jtEnd.cpu - jt.cpu), TaskTrackers: each(ttEnd.cpu - tt.cpu), Generator: each(generator)}, nil
}

// smallClients is the number of clients that submit small jobs at once.
const smallClients = 8

// smallJobs measures wordcounts of one line, each with one map and one reduce, on two TaskTrackers.
func smallJobs(ctx context.Context, o options, dir string) (*rateReport, error) {
	c, err := startCluster(ctx, o, dir, 2)
	if err != nil {
		return nil, err
	}
	defer c.stop()
	const line = "a few words\n"
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, []byte(line), 0o644); err != nil {
		return nil, err
	}
	one := func(x *client.Client, i int64) error {
		cfg := c.conf.Clone()
		cfg.Set(conf.JobReduces.Name, "1", "load")
		mapreduce.AddInputPaths(cfg, in)
		mapreduce.SetOutputPath(cfg, filepath.Join(dir, "out", strconv.FormatInt(i, 10)))
		s, err := x.Submit(ctx, client.Job{Name: "wordcount", Conf: cfg, Program: o.howdah, Splits: []mapreduce.Split{
			{Chunks: []mapreduce.Chunk{{Path: "file:" + in, Length: int64(len(line))}}, Length: int64(len(line))}}})
		if err == nil {
			_, err = x.Wait(ctx, s.ID, nil)
		}
		return err
	}
	return c.rate("small jobs, 8 clients, two TaskTrackers", o.small, 2, func() error {
		var next atomic.Int64
		errs := make(chan error, smallClients)
		var clients sync.WaitGroup
		for range smallClients {
			clients.Go(func() {
				x, err := c.dial()
				if err == nil {
					defer x.Close()
				}
				for i := next.Add(1); err == nil && i <= int64(o.small); i = next.Add(1) {
					err = one(x, i)
				}
				errs <- err
			})
		}
		clients.Wait()
		for range smallClients {
			if err := <-errs; err != nil {
				return err
			}
		}
		return nil
	})
}

// emptyMaps measures a job of maps that do nothing on one TaskTracker, first with children that run
// any number of maps and then with a process for each map.
func emptyMaps(ctx context.Context, o options, dir string) ([]*rateReport, error) {
	c, err := startCluster(ctx, o, dir, 1)
	if err != nil {
		return nil, err
	}
	defer c.stop()
	var reports []*rateReport
	for _, m := range []struct{ what, tasks string }{{"reused children", "-1"}, {"a process for each map", "1"}} {
		r, err := c.rate("empty maps, one TaskTracker, "+m.what, o.maps, 1, func() error {
			cmd := exec.CommandContext(ctx, o.howdah, "run", "-q", "sleep", "-D", conf.JobJVMNumTasks.Name+"="+m.tasks,
				"-m", strconv.Itoa(o.maps), "-r", "0", "-mt", "0")
			cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.Conf)
			if text, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, text)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		r.Generator = 0 // the client was another process
		reports = append(reports, r)
	}
	return reports, nil
}
