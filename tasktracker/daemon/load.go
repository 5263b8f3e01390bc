package daemon

import (
	"context"
	"time"

	"github.com/howdah/howdah/tasktracker"
)

// cpuTimes contains totals since the node booted, in kernel ticks.
type cpuTimes struct {
	all  int64 // time of all CPUs, idle or not
	busy int64
	own  int64 // time of this process and its descendants, including dead descendants whose parents have waited for them
}

// others returns the share of the node's CPU, in millionths, that other programs used between the
// readings from and to. Other programs are all processes except the TaskTracker and its tasks.
func others(from, to cpuTimes) int32 {
	all := to.all - from.all
	if all <= 0 {
		return 0
	}
	used := (to.busy - from.busy) - (to.own - from.own)
	return int32(min(max(used, 0), all) * 1_000_000 / all)
}

// smooth returns the weighted mean of old and measured, a new measurement, which has a weight of
// one quarter. A short burst therefore has only a small effect.
func smooth(old, measured int32) int32 { return int32((3*int64(old) + int64(measured)) / 4) }

// watchLoad measures the CPU load of other processes on this node for the heartbeats.
func (d *Daemon) watchLoad(ctx context.Context) error {
	if d.cfg.LoadInterval <= 0 {
		return nil
	}
	last, err := readCPU()
	if err != nil {
		d.log.Info("cannot measure the load of other programs", "err", err)
		return nil
	}
	ticker := time.NewTicker(d.cfg.LoadInterval)
	defer ticker.Stop()
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now, err := readCPU()
		if err != nil {
			d.log.Debug("cannot measure the load of other programs", "err", err)
			continue
		}
		load := others(last, now)
		if !first {
			load = smooth(d.otherLoad.Load(), load)
		}
		d.otherLoad.Store(load)
		d.post(tasktracker.Input{Kind: tasktracker.InLoad, OtherLoad: load})
		last = now
	}
}
