package cli

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/job/status"
)

// trackerObject is a TaskTracker in the output of --json.
type trackerObject struct {
	Name         string       `json:"name"`
	Host         string       `json:"host,omitempty"`
	Rack         string       `json:"rack,omitempty"`
	Address      string       `json:"address,omitempty"` // of the web pages
	State        string       `json:"state"`
	Why          string       `json:"why,omitempty"` // it is blacklisted or unhealthy
	LastBeatMs   int64        `json:"last_heartbeat_ms,omitempty"`
	MapSlots     int32        `json:"map_slots"`
	MapsUsed     int32        `json:"map_slots_used"`
	ReduceSlots  int32        `json:"reduce_slots"`
	ReducesUsed  int32        `json:"reduce_slots_used"`
	MemoryMB     int32        `json:"memory_mb,omitempty"`
	MemoryUsedMB *int32       `json:"memory_used_mb,omitempty"`
	VCores       int32        `json:"vcores,omitempty"`
	VCoresUsed   *int32       `json:"vcores_used,omitempty"`
	Drain        *drainObject `json:"drain,omitempty"`
}

// drainObject is the drain of a TaskTracker in the output of --json.
type drainObject struct {
	How      status.DrainMode `json:"how"`
	Why      string           `json:"why,omitempty"`
	SinceMs  int64            `json:"since_ms,omitempty"`
	DoneMs   int64            `json:"done_ms,omitempty"`
	Attempts int32            `json:"attempts"`
	Outputs  int32            `json:"map_outputs"`
}

func trackerJSON(t *status.Tracker) trackerObject {
	o := trackerObject{Name: t.Name, Host: t.Host, Rack: t.Rack, Address: t.Addr, State: "ACTIVE", Why: t.Why,
		LastBeatMs: t.LastBeatMs, MapSlots: t.Maps.Total, MapsUsed: t.Maps.Used, ReduceSlots: t.Reduces.Total,
		ReducesUsed: t.Reduces.Used, MemoryMB: t.Memory.Total,
		MemoryUsedMB: jsonout.Known(t.Memory.Used, t.Memory.Total > 0), VCores: t.VCores.Total,
		VCoresUsed: jsonout.Known(t.VCores.Used, t.VCores.Total > 0)}
	if d := t.Drain; d != nil {
		o.Drain = &drainObject{d.How, d.Why, d.SinceMs, d.DoneMs, d.Attempts, d.Outputs}
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

func (s *session) trackers(blacklisted bool) jobVerb {
	return func(c *urfave.Context, jobs *jobclient.Client) error {
		r, err := jobs.Cluster(c.Context)
		if err != nil {
			return err
		}
		out := []trackerObject{}
		for _, t := range r.Trackers {
			if t.Blacklisted == blacklisted {
				out = append(out, trackerJSON(t))
			}
		}
		return s.show(c, out, func() error {
			for _, t := range r.Trackers {
				switch {
				case t.Blacklisted != blacklisted:
				case blacklisted:
					fmt.Fprintf(s.out, "%s\t%s\n", t.Name, t.Why)
				case t.Drain != nil:
					fmt.Fprintf(s.out, "%s\t%s\n", t.Name, drainText(t.Drain))
				default:
					fmt.Fprintln(s.out, t.Name)
				}
			}
			return nil
		})
	}
}
