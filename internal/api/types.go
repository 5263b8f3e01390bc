package api

import (
	"strings"

	"github.com/howdah/howdah/internal/diagnosis"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

type cluster struct {
	ID           string `json:"id" doc:"part of the ID of every job"`
	Version      string `json:"version,omitempty" doc:"version of the JobTracker"`
	StartedMs    int64  `json:"started_ms" doc:"time at which the JobTracker started"`
	Restarts     int64  `json:"restarts" doc:"restarts of the JobTracker"`
	Scheduler    string `json:"scheduler" doc:"scheduler"`
	Problem      string `json:"problem,omitempty" doc:"why a new configuration of the scheduler is not in effect"`
	Closed       string `json:"closed,omitempty" doc:"why the JobTracker rejects new jobs"`
	Disk         string `json:"disk,omitempty" doc:"what is wrong with the journal's disk"`
	TaskTrackers int    `json:"tasktrackers" doc:"live TaskTrackers"`
	Preparing    int32  `json:"jobs_prep" doc:"jobs in state PREP"`
	Running      int32  `json:"jobs_running" doc:"other unfinished jobs"`
	Finished     int64  `json:"jobs_finished" doc:"jobs that have ended since the first start"`
}

func ofCluster(c *status.Cluster) cluster {
	return cluster{c.ID, c.Version, c.StartedMs, c.Epoch, c.Scheduler, c.Problem, c.Closed, c.Disk, len(c.Trackers),
		c.Prep, c.Running, c.Finished}
}

// listPage is the position of a page in a list.
type listPage struct {
	Total int `json:"total" doc:"entries that match"`
	Page  int `json:"page" doc:"number of this page, from 1"`
	Pages int `json:"pages" doc:"number of pages"`
}

type jobPage struct {
	listPage
	Jobs []jsonout.Job `json:"jobs" doc:"jobs, without attempts and counters"`
}

type attemptPage struct {
	listPage
	Attempts []jsonout.Attempt `json:"attempts" doc:"attempts"`
}

type values map[string]map[string]int64

type counters struct {
	Total  values `json:"total,omitempty" doc:"group → name → value"`
	Map    values `json:"map,omitempty" doc:"group → name → value, of maps"`
	Reduce values `json:"reduce,omitempty" doc:"group → name → value, of reduces"`
}

func ofCounters(c *job.Counters) values {
	if c == nil {
		return nil
	}
	return jsonout.CountersByName(c)
}

type jobConf struct {
	Path     string    `json:"path,omitempty" doc:"file with the configuration"`
	Settings []setting `json:"settings" doc:"settings, sorted by name"`
}

type setting struct {
	Name   string `json:"name" doc:"key"`
	Value  string `json:"value" doc:"value; secrets are hidden"`
	Source string `json:"source,omitempty" doc:"where the value comes from"`
}

type scheduler struct {
	Name         string          `json:"name" doc:"scheduler"`
	Speculation  string          `json:"speculation,omitempty" doc:"rule of speculative execution"`
	SinceMs      int64           `json:"since_ms,omitempty" doc:"time of the latest switch"`
	By           string          `json:"by,omitempty" doc:"user or event that caused the switch"`
	Problem      string          `json:"problem,omitempty" doc:"why changes of its files are not in effect"`
	Files        []string        `json:"files" doc:"configuration files"`
	UntilRestart bool            `json:"until_restart" doc:"whether the configured scheduler returns after a restart"`
	Pools        []schedulerPool `json:"pools" doc:"pools or queues"`
	Order        []string        `json:"order,omitempty" doc:"unfinished jobs in the order of service, if there is one"`
}

type schedulerPool struct {
	Name    string  `json:"name" doc:"name"`
	Jobs    int32   `json:"jobs" doc:"running jobs"`
	Weight  float64 `json:"weight" doc:"weight"`
	Memory  *shares `json:"memory_mb,omitempty" doc:"shares of memory, if the scheduler assigns memory"`
	Maps    *shares `json:"map_slots,omitempty" doc:"shares of map slots, if the scheduler assigns slots"`
	Reduces *shares `json:"reduce_slots,omitempty" doc:"shares of reduce slots, if the scheduler assigns slots"`
}

type shares struct {
	Min      int32  `json:"min" doc:"guaranteed amount"`
	Max      *int32 `json:"max,omitempty" doc:"limit"`
	Share    int32  `json:"share" doc:"current share"`
	Demand   int32  `json:"demand" doc:"amount that the jobs could use"`
	Used     int32  `json:"used" doc:"amount in use"`
	Borrowed int32  `json:"borrowed" doc:"part of used in slots of the other type"`
}

func ofShares(s status.Shares) *shares {
	o := &shares{s.Min, nil, s.Fair, s.Demand, s.Running, s.Borrowed}
	if s.Max >= 0 {
		o.Max = &s.Max
	}
	return o
}

func ofScheduler(s *status.Scheduler) scheduler {
	o := scheduler{Name: s.Name, Speculation: s.Speculation, SinceMs: s.SinceMs, By: s.By, Problem: s.Problem,
		Files: append([]string{}, s.Files...), UntilRestart: s.UntilRestart, Pools: []schedulerPool{}}
	for _, g := range s.Groups {
		p := schedulerPool{Name: g.Name, Jobs: g.Jobs, Weight: g.Weight}
		if g.Memory {
			p.Memory = ofShares(g.Maps)
		} else {
			p.Maps, p.Reduces = ofShares(g.Maps), ofShares(g.Reduces)
		}
		o.Pools = append(o.Pools, p)
	}
	if jobs, known := diagnosis.InOrder(s); known {
		for _, j := range jobs {
			o.Order = append(o.Order, j.ID.String())
		}
	}
	return o
}

type use struct {
	TimesMs []int64  `json:"times_ms" doc:"times of the values"`
	Series  []series `json:"series" doc:"series, sorted by name"`
}

type series struct {
	Name     string    `json:"name" doc:"what is measured, such as map slots"`
	Used     []float32 `json:"used" doc:"amount in use at each time"`
	Borrowed []float32 `json:"borrowed" doc:"part of used that exceeds the share"`
	Limit    []float32 `json:"limit" doc:"share or total; 0 means none"`
}

// ofRecord returns the series for which keep returns true.
func ofRecord(r trend.Record, keep func(name string) bool) use {
	o := use{append([]int64{}, r.Times...), []series{}}
	for _, s := range r.Series {
		if !keep(s.Name) {
			continue
		}
		x := series{Name: strings.TrimSpace(s.Name)}
		for _, v := range s.Values {
			x.Used, x.Borrowed, x.Limit = append(x.Used, v.Used), append(x.Borrowed, v.Borrowed), append(x.Limit, v.Limit)
		}
		o.Series = append(o.Series, x)
	}
	return o
}

type jobChange struct {
	Priority string `json:"priority,omitempty" doc:"VERY_HIGH, HIGH, NORMAL, LOW, or VERY_LOW"`
	Deadline string `json:"deadline,omitempty" doc:"value of mapreduce.job.deadline, but +TIME is from now; or none"`
	Queue    string `json:"queue,omitempty" doc:"queue or pool"`
}

type schedulerChange struct {
	Name     string            `json:"name" doc:"scheduler"`
	Settings map[string]string `json:"settings,omitempty" doc:"settings of the scheduler; key → value"`
}

type drainRequest struct {
	How status.DrainMode `json:"how,omitempty" doc:"delayed (the default), rerun, or immediate"`
	Why string           `json:"why,omitempty" doc:"reason"`
}
