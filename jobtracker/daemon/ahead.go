package daemon

import "github.com/howdah/howdah/job/heartbeat"

// maxAheadLogs is the maximum number of reports that checkAhead logs.
const maxAheadLogs = 100

// checkAhead logs an error if a TaskTracker reports more than the journal contains, because the
// journal has then lost its end. A crash cannot cause this, because every decision is in the
// journal before another process can see it.
func (d *Daemon) checkAhead(r *heartbeat.Report) {
	what, ahead := d.owner.m.Ahead(r)
	if !ahead {
		return
	}
	d.metrics.ahead.Inc()
	if d.ahead++; d.ahead > maxAheadLogs {
		return
	}
	name := ""
	if t, ok := d.owner.m.TrackerInfo(r.Tracker); ok {
		name = t.Name
	}
	d.cfg.Log.Error("a TaskTracker knows more than the journal, which has lost facts; the TaskTracker must drop "+
		"what the journal does not know", "journal", d.cfg.Dir, "tracker", name, "handle", r.Tracker, "knows", what)
}
