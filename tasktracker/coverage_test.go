package tasktracker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job/heartbeat"
)

// coverage counts how often each kind of input occurred in each state: children's messages by state
// of attempts and children, localization by state of jobs, responses by state of the connection.
type coverage struct {
	hits    map[string]int
	ignored map[string]int
	at      []string // pairs of the current step
}

// shared is a hit in coverage: a child starts to work for a further job.
const shared = "child shared"

// returned is a hit in coverage: a child runs a further task of a job that does not limit them.
const returned = "child returned"

func newCoverage() *coverage { return &coverage{hits: map[string]int{}, ignored: map[string]int{}} }

var childInputs = []InputKind{InReady, InProgress, InInHand, InFetchFailed, InDone, InFailed, InExited}

func (c *coverage) before(m *Machine, in *Input) {
	c.at = c.at[:0]
	note := func(kind, state string) { c.at = append(c.at, fmt.Sprintf("%s %s x %s", kind, state, in.Kind)) }
	line := lineState(m)
	switch {
	case slices.Contains(childInputs, in.Kind):
		state := "none"
		if x := m.child(in.Child); x != nil {
			state = childStageNames[x.stage]
		}
		note("child", state)
	case in.Kind == InJobReady || in.Kind == InJobFailed || in.Kind == InJobRefused:
		state := "none"
		if j := m.job(in.Job); j != nil {
			state = jobStageNames[j.stage]
		}
		note("job", state)
	case in.Kind < numInputKinds:
		note("line", line)
	}
	if in.Kind == InDesired && m.calling && m.registered && in.Desired.Seq == m.seq && !m.stopping {
		c.desired(m, in.Desired)
	}
	for _, a := range m.attempts {
		if a.deadline > 0 && in.Now >= a.deadline {
			c.at = append(c.at, "attempt "+stageNames[a.stage]+" x timeout")
		}
	}
	for _, x := range m.children {
		if x.deadline > 0 && in.Now >= x.deadline {
			c.at = append(c.at, "child "+childStageNames[x.stage]+" x deadline")
		}
	}
}

// desired records the effect of a response on each attempt.
func (c *coverage) desired(m *Machine, d *heartbeat.Desired) {
	for _, a := range m.attempts {
		what := "dropped"
		switch {
		case d.Register:
			what = "reset"
		case slices.Contains(d.Run, a.id):
			what = "desired"
		}
		c.at = append(c.at, "attempt "+stageNames[a.stage]+" x "+what)
	}
	for _, id := range d.Run {
		if m.byID[id] == nil {
			c.at = append(c.at, "attempt none x desired")
		}
	}
}

func lineState(m *Machine) string {
	switch {
	case m.stopping:
		return "stopping"
	case m.resetting:
		return "resetting"
	case !m.registered && m.calling:
		return "registering"
	case !m.registered:
		return "unregistered"
	case m.calling:
		return "beating"
	}
	return "waiting"
}

func (c *coverage) after(_ *Machine, out []Output) {
	ignored := slices.ContainsFunc(out, func(o Output) bool { return o.Kind == OutIgnored })
	for i, p := range c.at {
		c.hits[p]++
		if ignored && i == 0 {
			c.ignored[p]++
		}
	}
}

func (c *coverage) add(o *coverage) {
	for p, n := range ordered.All(o.hits) {
		c.hits[p] += n
	}
	for p, n := range ordered.All(o.ignored) {
		c.ignored[p] += n
	}
}

// pairs returns the pairs of a state and an input that schedules should drive.
func pairs() []string {
	var all []string
	for _, s := range append([]string{"none"}, childStageNames[:]...) {
		for _, k := range childInputs {
			all = append(all, fmt.Sprintf("child %s x %s", s, k))
		}
	}
	for _, s := range []string{"idle", "kept", "leaving", "halting", "killed"} {
		all = append(all, "child "+s+" x deadline")
	}
	for _, s := range append([]string{"none"}, jobStageNames[:]...) {
		for _, k := range []InputKind{InJobReady, InJobFailed, InJobRefused} {
			all = append(all, fmt.Sprintf("job %s x %s", s, k))
		}
	}
	for _, s := range []string{"registering", "unregistered", "resetting", "waiting", "beating", "stopping"} {
		for _, k := range []InputKind{InTick, InRegistered, InDesired, InLost, InNews, InSlots, InHealth, InLoad,
			InShares, InUnheld,
			InShed, InStop} {
			all = append(all, fmt.Sprintf("line %s x %s", s, k))
		}
	}
	for _, s := range stageNames {
		for _, what := range []string{"desired", "dropped", "reset"} {
			all = append(all, "attempt "+s+" x "+what)
		}
	}
	return append(all, "attempt none x desired", "attempt running x timeout")
}

// judge prints the coverage. With at least 10,000 schedules, it fails below 95 %.
func (c *coverage) judge(t *testing.T) {
	all := pairs()
	var missing []string
	legal := 0
	for _, p := range all {
		if c.hits[p] == 0 {
			missing = append(missing, p)
		}
		if c.hits[p] > c.ignored[p] {
			legal++
		}
	}
	t.Logf("state x event: %d of %d pairs driven (%.1f%%), %d acted on, %d always refused with a reason",
		len(all)-len(missing), len(all),
		100*float64(len(all)-len(missing))/float64(len(all)), legal, len(all)-len(missing)-legal)
	if len(missing) > 0 {
		t.Logf("not driven: %s", strings.Join(missing, "; "))
	}
	if len(missing)*20 > len(all) && *schedules >= 10_000 {
		t.Errorf("fewer than 95%% of the pairs were driven")
	}
	if c.hits[shared] == 0 && *schedules >= 10_000 {
		t.Errorf("no child worked for two jobs")
	}
	if c.hits[returned] == 0 && *schedules >= 10_000 {
		t.Errorf("no child returned to a job")
	}
}
