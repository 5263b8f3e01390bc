package daemon

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
	decided "github.com/howdah/howdah/orchestrator/daemon"
	"github.com/howdah/howdah/scheduler"
)

// global drives MROrchestrator's Global Resource Manager: beats bring it reports and take its advice away, and what it decides
// becomes an input of the JobTracker's machine, whose facts and orders are like all others. A nil global does nothing.
type global struct {
	settings orchestrator.Settings

	mu      sync.Mutex // beats come from many goroutines
	machine *orchestrator.Global
	buffer  []orchestrator.Advice
}

func newGlobal(s orchestrator.Settings, now int64) *global {
	if s.Mode == orchestrator.Off || s.Mode == "" {
		return nil
	}
	return &global{settings: s, machine: orchestrator.NewGlobal(s.Config, now)}
}

// beat takes what a tracker says, nil = nothing new, and gives what it should know.
func (g *global) beat(now int64, handle int32, s *tracker.Shares) *tracker.Advice {
	if g == nil || halted(g.settings.HaltGlobal) {
		return nil
	}
	r := fromShares(s)
	g.mu.Lock()
	defer g.mu.Unlock()
	if s != nil {
		g.machine.Hear(now, handle, r)
	} else if !g.machine.Unadvised(handle) {
		return nil
	}
	g.buffer = g.machine.Advice(handle, g.buffer[:0])
	return toAdvice(g.buffer)
}

// halted tells whether the file is there that makes a manager stand still.
func halted(file string) bool {
	if file == "" {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}

// orchestrate lets the manager decide whenever it is due, and renews the leases of what it decided.
func (d *Daemon) orchestrate(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if err := d.decide(ctx); err != nil && ctx.Err() == nil {
			d.cfg.Log.Warn("the orchestrator's decisions are lost", "err", err)
		}
		timer.Reset(time.Duration(d.global.wait(d.owner.clock.now())) * time.Millisecond)
	}
}

// wait is how many ms from now on the manager has nothing to do. What it missed while it stands still is due all the time.
func (g *global) wait(now int64) int64 {
	if halted(g.settings.HaltGlobal) {
		return g.settings.Config.Sample
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(1, g.machine.NextDeadline()-now)
}

// phase is what tasks wait for a slot in.
type phase struct {
	job int32
	typ job.TaskType
}

func (d *Daemon) decide(ctx context.Context) error {
	waiting, err := look(ctx, d.owner, waitingPhases)
	if err != nil {
		return err
	}
	g := d.global
	if halted(g.settings.HaltGlobal) {
		return nil
	}
	g.mu.Lock()
	decisions := g.machine.Tick(d.owner.clock.now(), func(seq int32, t job.TaskType) bool { return waiting[phase{seq, t}] }, nil)
	g.mu.Unlock()
	if g.settings.Mode == orchestrator.Watch {
		for _, x := range decisions {
			d.cfg.Log.Info("the orchestrator would change", "attempt", x.Attempt.ID(d.cluster), "resource", x.Resource, "from", x.From, "to", x.To, "why", x.Reason)
		}
		return nil
	}
	limits, err := look(ctx, d.owner, func(m *jobtracker.Machine) ([]jobtracker.Limit, error) {
		return decided.Limits(decisions, g.forget(d.owner.clock.now(), m), m.Limits), nil
	})
	if err != nil {
		return err
	}
	in := &jobtracker.Input{Kind: jobtracker.InLimits, Limits: limits, Millis: leases * g.settings.Config.Epoch}
	_, err = input(ctx, d.owner, in, func(*jobtracker.Output) struct{} { return struct{}{} })
	return err
}

// forget lifts the limits on trackers whose managers are silent: they have fallen back there by now.
func (g *global) forget(now int64, m *jobtracker.Machine) (out []jobtracker.Limit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var buf []*scheduler.Attempt
	for _, seq := range m.Jobs() {
		for _, t := range []job.TaskType{job.Map, job.Reduce} {
			buf = m.Running(seq, t, buf[:0])
			for _, a := range buf {
				if cpu, memory := m.Limits(a.ID); (cpu > 0 || memory > 0) && !g.machine.Knows(now, a.Tracker) {
					out = append(out, jobtracker.Limit{Attempt: a.ID, Why: "its TaskTracker's manager has not been heard of"})
				}
			}
		}
	}
	return out
}

// leases is for how many epochs a decision is good unless it is renewed.
const leases = 3

func waitingPhases(m *jobtracker.Machine) (map[phase]bool, error) {
	out := map[phase]bool{}
	for _, seq := range m.Jobs() {
		j := m.Job(seq)
		for t, n := range j.Pending {
			if n > 0 {
				out[phase{seq, job.TaskType(t)}] = true
			}
		}
	}
	return out, nil
}
