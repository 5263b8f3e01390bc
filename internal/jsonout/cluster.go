package jsonout

import (
	"github.com/howdah/howdah/job/status"
)

// Tracker is a TaskTracker.
type Tracker struct {
	Name         string `json:"name"`
	Host         string `json:"host,omitempty"`
	Rack         string `json:"rack,omitempty"`
	Address      string `json:"address,omitempty"` // of the web pages
	State        string `json:"state"`
	Why          string `json:"why,omitempty"` // it is blacklisted or unhealthy
	LastBeatMs   int64  `json:"last_heartbeat_ms,omitempty"`
	MapSlots     int32  `json:"map_slots"`
	MapsUsed     int32  `json:"map_slots_used"`
	ReduceSlots  int32  `json:"reduce_slots"`
	ReducesUsed  int32  `json:"reduce_slots_used"`
	MemoryMB     int32  `json:"memory_mb,omitempty"`
	MemoryUsedMB *int32 `json:"memory_used_mb,omitempty"`
	VCores       int32  `json:"vcores,omitempty"`
	VCoresUsed   *int32 `json:"vcores_used,omitempty"`
	Drain        *Drain `json:"drain,omitempty"`
}

// Drain is the drain of a TaskTracker.
type Drain struct {
	How      status.DrainMode `json:"how"`
	Why      string           `json:"why,omitempty"`
	SinceMs  int64            `json:"since_ms,omitempty"`
	DoneMs   int64            `json:"done_ms,omitempty"`
	Attempts int32            `json:"attempts"`
	Outputs  int32            `json:"map_outputs"`
}

// OfTracker returns the object for a TaskTracker.
func OfTracker(t *status.Tracker) Tracker {
	o := Tracker{Name: t.Name, Host: t.Host, Rack: t.Rack, Address: t.Addr, State: "ACTIVE", Why: t.Why,
		LastBeatMs: t.LastBeatMs, MapSlots: t.Maps.Total, MapsUsed: t.Maps.Used, ReduceSlots: t.Reduces.Total,
		ReducesUsed: t.Reduces.Used, MemoryMB: t.Memory.Total,
		MemoryUsedMB: Known(t.Memory.Used, t.Memory.Total > 0), VCores: t.VCores.Total,
		VCoresUsed: Known(t.VCores.Used, t.VCores.Total > 0)}
	if d := t.Drain; d != nil {
		o.Drain = &Drain{d.How, d.Why, d.SinceMs, d.DoneMs, d.Attempts, d.Outputs}
		o.State = "DRAINING"
		if d.DoneMs > 0 {
			o.State = "DRAINED"
		}
	}
	if t.Blacklisted {
		o.State = "BLACKLISTED"
	}
	return o
}

// Queue is a queue.
type Queue struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Info    string `json:"info,omitempty"`
	Running int32  `json:"running"`
	Waiting int32  `json:"waiting"`
	Jobs    *[]Job `json:"jobs,omitempty"` // with -showJobs
}

// OfQueue returns the object for a queue, without its jobs.
func OfQueue(q status.Queue) Queue {
	o := Queue{Name: q.Name, State: State(string(q.State)), Running: q.Running, Waiting: q.Waiting}
	if q.Info != "N/A" { // Hadoop's word for no information
		o.Info = q.Info
	}
	return o
}
