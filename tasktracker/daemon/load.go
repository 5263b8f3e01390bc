package daemon

import "time"

// cpuTimes are sums since the node started, in ticks of the kernel.
type cpuTimes struct {
	all  int64 // of all CPUs, idle or not
	busy int64
	own  int64 // of this process and its descendants, those that have ended too
}

// others gives the share of the node's CPU, in millionths, that others than the TaskTracker and its tasks used between two
// readings.
func others(from, to cpuTimes) int32 {
	all := to.all - from.all
	if all <= 0 {
		return 0
	}
	used := (to.busy - from.busy) - (to.own - from.own)
	return int32(min(max(used, 0), all) * 1_000_000 / all)
}

// smooth lets a measured value count for a quarter: a burst of some seconds is no co-tenant.
func smooth(old, measured int32) int32 { return int32((3*int64(old) + int64(measured)) / 4) }

// watchLoad measures, for beats to tell it, how busy others keep this node.
func (d *Daemon) watchLoad() {
	if d.cfg.LoadInterval <= 0 {
		return
	}
	last, err := readCPU()
	if err != nil {
		d.log.Info("the load of others is not measured", "err", err)
		return
	}
	ticker := time.NewTicker(d.cfg.LoadInterval)
	defer ticker.Stop()
	for first := true; ; first = false {
		select {
		case <-d.base.Done():
			return
		case <-ticker.C:
		}
		now, err := readCPU()
		if err != nil {
			d.log.Debug("cannot measure the load of others", "err", err)
			continue
		}
		load := others(last, now)
		if !first {
			load = smooth(d.otherLoad.Load(), load)
		}
		d.otherLoad.Store(load)
		last = now
	}
}
