package daemon

import (
	"context"
	"os"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
)

// global runs MROrchestrator's Global Resource Manager. Heartbeats carry the shares of tasks to the
// manager, and the replies carry its advice. Its decisions are inputs of the JobTracker's machine.
// Only the owner's goroutine uses machine and advice. A nil global is never halted and has no
// advice.
type global struct {
	settings orchestrator.Settings
	machine  *orchestrator.Global
	advice   []heartbeat.Advice
}

func newGlobal(s orchestrator.Settings, now int64) *global {
	if s.Mode == orchestrator.Off || s.Mode == "" {
		return nil
	}
	return &global{settings: s, machine: orchestrator.NewGlobal(s.Config, now)}
}

// beat processes a tracker's shares and returns the advice for the tracker. s is nil if the shares
// have not changed. The advice is valid until the next call.
func (g *global) beat(now int64, tracker int32, s *heartbeat.Shares) []heartbeat.Advice {
	switch {
	case g == nil:
		return nil
	case s != nil:
		g.machine.Hear(now, tracker, s)
	case !g.machine.Unadvised(tracker):
		return nil
	}
	g.advice = g.machine.Advice(tracker, g.advice[:0])
	return g.advice
}

// halted reports whether the file that halts the manager exists. It is safe for concurrent use.
func (g *global) halted() bool {
	if g == nil || g.settings.HaltGlobal == "" {
		return false
	}
	_, err := os.Stat(g.settings.HaltGlobal)
	return err == nil
}

// orchestrate lets the manager make its decisions when they are due, applies them, and renews the
// leases of earlier decisions, until ctx is done.
func (d *Daemon) orchestrate(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		halted := d.global.halted()
		if !halted {
			if err := d.decide(ctx); err != nil && ctx.Err() == nil {
				d.cfg.Log.Warn("cannot apply the orchestrator's decisions", "error", err)
			}
		}
		wait, err := look(ctx, d.owner, func(*jobtracker.Machine) (int64, error) {
			return d.global.wait(d.owner.clock.now(), halted), nil
		})
		if err != nil {
			wait = d.global.settings.Config.Sample
		}
		timer.Reset(time.Duration(wait) * time.Millisecond)
	}
}

// wait returns the time until the manager's next decision, in ms. A halted manager does not catch
// up on missed decisions.
func (g *global) wait(now int64, halted bool) int64 {
	if halted {
		return g.settings.Config.Sample
	}
	return max(1, g.machine.NextDeadline()-now)
}

func (d *Daemon) decide(ctx context.Context) error {
	var decisions []orchestrator.Decision
	limits, err := look(ctx, d.owner, func(m *jobtracker.Machine) ([]heartbeat.Limit, error) {
		now := d.owner.clock.now()
		waits := func(seq int32, t job.TaskType) bool {
			j := m.Job(seq)
			return j != nil && t <= job.Reduce && j.Pending[t] > 0
		}
		decisions = d.global.machine.Tick(now, waits, nil)
		return orchestrator.Limits(decisions, d.global.forget(now, m), m.Limits), nil
	})
	if err != nil {
		return err
	}
	if d.global.settings.Mode == orchestrator.Watch {
		for _, x := range decisions {
			d.cfg.Log.Info("the orchestrator would change a limit", "attempt", x.Attempt.ID(d.cluster), "resource", x.Resource,
				"from", x.From, "to", x.To, "why", x.Reason)
		}
		return nil
	}
	in := &jobtracker.Input{
		Kind: jobtracker.InLimits, Limits: limits, Millis: leases * d.global.settings.Config.Epoch,
	}
	_, err = input(ctx, d.owner, in, func(*jobtracker.Output) struct{} { return struct{}{} })
	return err
}

// forget returns orders that lift the limits on trackers whose managers have stopped reporting.
// Those managers have already restored the original limits.
func (g *global) forget(now int64, m *jobtracker.Machine) (out []heartbeat.Limit) {
	var buf []*scheduler.Attempt
	for _, seq := range m.Jobs() {
		for _, t := range []job.TaskType{job.Map, job.Reduce} {
			buf = m.Running(seq, t, buf[:0])
			for _, a := range buf {
				if cpu, memory := m.Limits(a.ID); (cpu > 0 || memory > 0) && !g.machine.Knows(now, a.Tracker) {
					out = append(out, heartbeat.Limit{Attempt: a.ID, Why: "the TaskTracker stopped reporting usage"})
				}
			}
		}
	}
	return out
}

// leases is the number of epochs for which a decision is valid without a renewal.
const leases = 3
