//go:build integration

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/howdah/howdah/integration/bench/measure"
	"github.com/howdah/howdah/internal/lifecycle"
)

// use is what a run used of a YARN cluster. If the run consists of several applications, the figures
// are their sum, except for the peaks.
type use struct {
	containers          float64
	maps, local         float64 // maps that were launched, and those that Hadoop placed near their data
	memory              float64 // sizes of the containers times their lifetimes, in GiB × s
	mapPeak, reducePeak float64 // resident memory of the processes of the largest map and reduce, in MiB
}

// user is a peer that can report what its latest run used.
type user interface{ used() (use, error) }

// applications reports what the applications on a YARN cluster used.
type applications struct {
	manager, history string          // HOST:PORT of the ResourceManager and of the JobHistoryServer
	seen             map[string]bool // IDs of the applications of earlier runs
}

// historyTimeout is how long an application may take to appear in the history after its client has
// exited.
const historyTimeout = time.Minute

// latest returns what the applications that started since the previous call used.
func (a *applications) latest(ctx context.Context) (use, error) {
	ctx, cancel := context.WithTimeout(ctx, historyTimeout)
	defer cancel()
	for {
		u, ids, err := a.read(ctx)
		if err == nil {
			for _, id := range ids {
				a.seen[id] = true
			}
			return u, nil
		}
		if lifecycle.Sleep(ctx, 200*time.Millisecond) != nil {
			return use{}, err
		}
	}
}

// read returns the use of the applications that are not in a.seen, and their IDs.
func (a *applications) read(ctx context.Context) (u use, ids []string, err error) {
	var list struct {
		Apps struct {
			App []struct {
				ID, State     string
				MemorySeconds float64 // in MiB × s
			}
		}
	}
	if err := get(ctx, a.manager, "/ws/v1/cluster/apps", &list); err != nil {
		return u, nil, err
	}
	for _, app := range list.Apps.App {
		if a.seen[app.ID] {
			continue
		}
		if app.State != "FINISHED" {
			return u, nil, fmt.Errorf("%s is %s", app.ID, app.State)
		}
		ids = append(ids, app.ID)
		u.memory += app.MemorySeconds / 1024
		if err := a.count(ctx, strings.Replace(app.ID, "application", "job", 1), &u); err != nil {
			return u, nil, err
		}
	}
	return u, ids, nil
}

// count adds the counters of a job to u.
func (a *applications) count(ctx context.Context, job string, u *use) error {
	var r struct {
		JobCounters struct {
			CounterGroup []struct {
				CounterGroupName string
				Counter          []struct {
					Name              string
					TotalCounterValue float64
				}
			}
		}
	}
	if err := get(ctx, a.history, "/ws/v1/history/mapreduce/jobs/"+job+"/counters", &r); err != nil {
		return err
	}
	u.containers++ // of the ApplicationMaster
	for _, g := range r.JobCounters.CounterGroup {
		if !strings.HasPrefix(g.CounterGroupName, "org.apache.hadoop.mapreduce.") {
			continue
		}
		for _, c := range g.Counter {
			switch c.Name {
			case "TOTAL_LAUNCHED_MAPS":
				u.maps += c.TotalCounterValue
				u.containers += c.TotalCounterValue
			case "TOTAL_LAUNCHED_REDUCES":
				u.containers += c.TotalCounterValue
			case "DATA_LOCAL_MAPS":
				u.local += c.TotalCounterValue
			case "MAP_PHYSICAL_MEMORY_BYTES_MAX":
				u.mapPeak = max(u.mapPeak, c.TotalCounterValue/(1<<20))
			case "REDUCE_PHYSICAL_MEMORY_BYTES_MAX":
				u.reducePeak = max(u.reducePeak, c.TotalCounterValue/(1<<20))
			}
		}
	}
	return nil
}

// get decodes the answer of a daemon's web server.
func get(ctx context.Context, addr, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, r.Body)
		return fmt.Errorf("%s: %s", req.URL, r.Status)
	}
	return json.NewDecoder(r.Body).Decode(into)
}

// useTable returns what the runs on YARN used as a Markdown table, or "" if there were none.
func (b *bench) useTable() string {
	var t bytes.Buffer
	for _, j := range b.jobs {
		for _, p := range b.peers {
			r := b.of(p, j)
			if r == nil || len(r.uses) == 0 {
				continue
			}
			if t.Len() == 0 {
				fmt.Fprintln(&t, "| job | program | containers | container memory (GiB × s) | largest map (MiB) | "+
					"largest reduce (MiB) | maps | data-local maps |")
				fmt.Fprintln(&t, "|---|---|---|---|---|---|---|---|")
			}
			median := func(of func(use) float64) float64 {
				var all []float64
				for _, u := range r.uses {
					all = append(all, of(u))
				}
				return measure.Median(all)
			}
			fmt.Fprintf(&t, "| %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", j.name, p.name(),
				median(func(u use) float64 { return u.containers }), median(func(u use) float64 { return u.memory }),
				median(func(u use) float64 { return u.mapPeak }), median(func(u use) float64 { return u.reducePeak }),
				median(func(u use) float64 { return u.maps }), median(func(u use) float64 { return u.local }))
		}
	}
	return t.String()
}
