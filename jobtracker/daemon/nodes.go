package daemon

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
)

// The functions in this file decide what a node may do. It may speak for the TaskTrackers on its
// host, and read the jobs whose attempts the JobTracker has assigned to them. A caller that
// presents the cluster's secret may speak for all TaskTrackers.

// maxAhead is how far a TaskTracker's clock may be ahead of the JobTracker's. A TaskTracker's
// incarnation is the time of its start. Only a TaskTracker with a greater incarnation can take over
// the name, so an incarnation far in the future would block the name.
const maxAhead = 5 * time.Minute

// checkRegistration returns an error unless the caller may register this TaskTracker.
func checkRegistration(p auth.Principal, r *tracker.RegisterRequest, now int64) error {
	const op = "register"
	if r.Incarnation > now+maxAhead.Milliseconds() {
		return failure.New(failure.Stale, op, r.Name,
			fmt.Errorf("its incarnation, which is the time of its start, is %d s ahead of the JobTracker's clock",
				(r.Incarnation-now)/1000)).
			Fix("set the clocks of both machines")
	}
	if p.Admin {
		return nil
	}
	if !onHost(p, r.Host) {
		return failure.New(failure.Permission, op, r.Name,
			fmt.Errorf("%s may not register a TaskTracker on host %s", p, r.Host)).
			Fix("create the token with --node " + r.Host + ", or set mapreduce.tasktracker.host.name to " + p.Node)
	}
	if port, ok := strings.CutPrefix(r.Name, "tracker_"+r.Host+":"); !ok || strings.Contains(port, ":") {
		return failure.New(failure.Permission, op, r.Name,
			fmt.Errorf("%s may only use names that begin with tracker_%s:", p, r.Host))
	}
	return nil
}

// onHost reports whether p is the node named host.
func onHost(p auth.Principal, host string) bool {
	return p.Node != "" && strings.EqualFold(p.Node, host)
}

// vouched is the set of TaskTracker addresses that were reported by callers with the cluster's
// secret. The JobTracker's pages pass an administrator's login on only to TaskTrackers at these
// addresses.
type vouched struct {
	mu    sync.RWMutex
	addrs map[string]bool
}

// note adds an address that p has reported.
func (v *vouched) note(p auth.Principal, addr string) {
	if !p.Admin || addr == "" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.addrs == nil {
		v.addrs = map[string]bool{}
	}
	v.addrs[addr] = true
}

// has reports whether the set contains an address.
func (v *vouched) has(addr string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.addrs[addr]
}

// mark sets Trusted of the TaskTrackers whose addresses are in the set.
func (v *vouched) mark(all []*status.Tracker) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, t := range all {
		t.Trusted = v.addrs[t.Addr]
	}
}

// checkSpeaker returns an error unless the caller may speak for a TaskTracker. It admits calls for
// an unknown TaskTracker, because the machine then asks the TaskTracker to register.
func checkSpeaker(p auth.Principal, m *jobtracker.Machine, handle int32) error {
	if p.Admin {
		return nil
	}
	if t, ok := m.TrackerInfo(handle); !ok || onHost(p, t.Host) {
		return nil
	}
	return failure.New(failure.Permission, "speak for a TaskTracker", "",
		fmt.Errorf("%s may speak only for TaskTrackers on its host", p))
}

// checkReader returns an error unless the caller may see the parts of a job that only its
// TaskTrackers need. handle identifies the TaskTracker that needs them; 0 means any TaskTracker on
// the caller's host.
func checkReader(p auth.Principal, m *jobtracker.Machine, handle, seq int32) error {
	if p.Admin {
		return nil
	}
	candidates := []int32{handle}
	if handle == 0 {
		candidates = m.Trackers()
	}
	for _, h := range candidates {
		if t, ok := m.TrackerInfo(h); ok && onHost(p, t.Host) && m.Serves(h, seq) {
			return nil
		}
	}
	return failure.New(failure.Permission, "read job", job.ID{Cluster: m.ClusterID(), Seq: seq}.String(),
		errors.New("the JobTracker has assigned no attempt of the job to "+p.String()))
}

// checkRunner returns an error unless the attempt runs on the caller's host.
func checkRunner(p auth.Principal, m *jobtracker.Machine, id job.Attempt) error {
	if p.Admin {
		return nil
	}
	if a := m.Attempt(id); a != nil {
		if t, ok := m.TrackerInfo(a.Tracker); ok && onHost(p, t.Host) {
			return nil
		}
	}
	return failure.New(failure.Permission, "speak for attempt", id.ID(m.ClusterID()).String(),
		fmt.Errorf("it does not run on %s", p))
}
