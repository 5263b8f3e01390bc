package fair

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler/policytest"
)

// users returns the users of the started tasks, in order.
func users(h *policytest.Hand, ids []job.Attempt) (out []string) {
	for _, id := range ids {
		out = append(out, h.Job(id.Job).Spec.User)
	}
	return out
}

func types(ids []job.Attempt) (out string) {
	for _, id := range ids {
		out += string(id.Type.Letter())
	}
	return out
}

// The type of which the tracker runs fewer tasks comes first.
func TestBothTypes(t *testing.T) {
	spec := func() *job.Spec { return policytest.Job("a", 4, 4) }
	for _, c := range []struct {
		pairs []string
		want  []string
	}{
		{nil, []string{"mrmrmm"}},
		{[]string{conf.FairSchedulerAssignMultiple.Name, "false"}, []string{"m", "r", "m", "r", "m", "m", ""}},
		{[]string{conf.FairSchedulerAssignMultipleMaps.Name, "1"}, []string{"mrr", "m", "m", "m", ""}},
		{[]string{conf.FairSchedulerAssignMultipleReduces.Name, "0"}, []string{"mmmm", ""}},
	} {
		h := policytest.NewHand(t, build(t, "", c.pairs...))
		h.Submit(spec())
		x := h.Join("x", "h", "/r", 4, 2)
		for _, want := range c.want {
			require.Equal(t, want, types(h.Beat(x)), "%v", c.pairs)
		}
	}
}

// The policy spreads small jobs over the cluster unless the load may differ between trackers.
func TestLoad(t *testing.T) {
	for diff, want := range map[string]int{"0": 1, "0.25": 2, "1": 2} {
		h := policytest.NewHand(t, build(t, "", conf.FairSchedulerLoadMaxDiff.Name, diff))
		x := h.Join("x", "h", "/r", 4, 0)
		for _, name := range []string{"y", "z", "w"} {
			h.Join(name, name, "/r", 4, 0)
		}
		h.Submit(policytest.Job("a", 2, 0))
		require.Len(t, h.Beat(x), want, diff)
	}
}

func TestAdmission(t *testing.T) {
	p := build(t, `<poolPlacementPolicy><rule name="specified"/><rule name="reject"/></poolPlacementPolicy>`)
	require.ErrorContains(t, p.Admit(nil, policytest.Job("a", 1, 0)), "no rule of poolPlacementPolicy finds a pool")
	require.NoError(t, p.Admit(nil, policytest.Job("a", 1, 0, job.Property{Name: conf.FairSchedulerPool.Name,
		Value: "p"})))
}

// A new policy counts the time that a job has already waited for local data. It takes over nothing
// from a different kind of policy.
func TestInheritedWait(t *testing.T) {
	delays := []string{conf.FairSchedulerLocalityDelayNode.Name, "1000", conf.FairSchedulerLocalityDelayRack.Name, "0"}
	for _, inherit := range []bool{true, false} {
		h := policytest.NewHand(t, build(t, "", delays...))
		s := policytest.Job("a", 1, 0)
		s.Splits[0].Hosts = []string{"far"}
		h.Submit(s)
		x := h.Join("x", "here", "/r1", 1, 0)
		require.Empty(t, h.Beat(x))
		h.Wait(1000)
		old, next := h.Policy(), build(t, "", delays...)
		h.SetPolicy(next)
		if inherit {
			next.Inherit(h, old)
		} else {
			next.Inherit(h, buildDeficit(t, ""))
		}
		require.Equal(t, inherit, len(h.Beat(x)) == 1)
	}
}
