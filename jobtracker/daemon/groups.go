package daemon

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/policies"
	"github.com/howdah/howdah/scheduler"
)

// groups returns the policy's pools or queues, or nil if the policy has none.
func groups(m *jobtracker.Machine) []scheduler.Group {
	if g, ok := m.Policy().(scheduler.Grouper); ok {
		return g.Groups(m, nil)
	}
	return nil
}

// groupOf returns the pool or queue of an unfinished job. It returns "" if the job is unknown or
// has ended, or if the policy has no groups.
func groupOf(m *jobtracker.Machine, seq int32) string {
	g, ok := m.Policy().(scheduler.Grouper)
	if j := m.Job(seq); !ok || j == nil || j.State.Terminal() {
		return ""
	}
	return g.GroupOf(m, seq)
}

// Queues returns the queues of the configuration and the policy's pools. A queue can also be a
// pool.
func (d *jobsService) Queues(ctx context.Context, asker string) ([]status.Queue, error) {
	user, err := d.cfg.Acting.For(ctx, asker)
	if err != nil {
		return nil, err
	}
	rules := d.policies.Rules()
	return look(ctx, d.owner, func(m *jobtracker.Machine) (out []status.Queue, err error) {
		byName := map[string]int{}
		add := func(q policies.Queue) int {
			info := status.Queue{Name: q.Name, State: q.State(), Info: "scheduler " + d.policies.Present().Name}
			info.Submit, info.Admin = rights(rules, user, q.Name)
			byName[q.Name] = len(out)
			out = append(out, info)
			return byName[q.Name]
		}
		for _, q := range d.policies.List() {
			add(q)
		}
		for _, g := range groups(m) {
			i, known := byName[g.Name]
			if !known {
				i = add(policies.Queue{Name: g.Name})
			}
			out[i].Info = groupText(&g)
		}
		for _, seq := range m.AllJobs() {
			j := m.Job(seq)
			i, known := byName[j.Spec.Queue]
			if g, grouped := byName[groupOf(m, seq)]; grouped {
				i, known = g, true
			}
			switch {
			case !known || j.State.Terminal():
			case j.Running[job.Map]+j.Running[job.Reduce] > 0:
				out[i].Running++
			default:
				out[i].Waiting++
			}
		}
		return out, nil
	})
}

// rights returns who can submit to a queue and who can administer its jobs, limited to what a user
// may see. The lists contain "*" for an administrator or if user is "". Otherwise, a list contains
// the user's name if the user has the right.
func rights(rules *acl.Rules, user, queue string) (submit, admin []string) {
	if user == "" || rules.Admin(user) {
		return []string{"*"}, []string{"*"}
	}
	if rules.MaySubmit(user, queue) {
		submit = []string{user}
	}
	if rules.MayAdminister(user, queue) {
		admin = []string{user}
	}
	return submit, admin
}

// groupText returns a brief description of a pool or queue.
func groupText(g *scheduler.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "weight %g, %s", round2(g.Weight), plural.Of(g.Jobs, "job"))
	amounts := []string{"maps", "reduces"}
	if g.Memory {
		amounts = []string{"MiB"}
	}
	for k, name := range amounts {
		fmt.Fprintf(&b, "; %s: %d running, share %d, demand %d", name, g.Running[k], g.Fair[k], g.Demand[k])
		if g.Min[k] > 0 {
			fmt.Fprintf(&b, ", min %d", g.Min[k])
		}
		if g.Max[k] >= 0 && g.Max[k] != math.MaxInt32 {
			fmt.Fprintf(&b, ", max %d", g.Max[k])
		}
		if g.Borrowed[k] > 0 {
			fmt.Fprintf(&b, ", %d in borrowed slots", g.Borrowed[k])
		}
	}
	return b.String()
}

func round2(x float64) float64 { return math.Round(x*100) / 100 }

// Scheduler returns the data of the scheduler's page.
func (d *jobsService) Scheduler(ctx context.Context, user string) (*status.Scheduler, error) {
	var jobs []listed
	s, err := look(ctx, d.owner, func(m *jobtracker.Machine) (*status.Scheduler, error) {
		s := schedulerStatus(d.policies.Status())
		for _, g := range groups(m) {
			s.Groups = append(s.Groups, &status.Group{Name: g.Name, Jobs: g.Jobs, Weight: g.Weight, Memory: g.Memory,
				Maps: shares(&g, job.Map), Reduces: shares(&g, job.Reduce)})
		}
		for _, seq := range m.AllJobs() {
			if !m.Job(seq).State.Terminal() {
				jobs = append(jobs, d.listed(m, seq))
			}
		}
		return s, nil
	})
	if err == nil {
		s.Jobs, err = d.shown(ctx, user, jobs)
	}
	return s, err
}

func shares(g *scheduler.Group, k job.TaskType) status.Shares {
	return status.Shares{Min: g.Min[k], Max: g.Max[k], Fair: g.Fair[k], Demand: g.Demand[k], Running: g.Running[k],
		Borrowed: g.Borrowed[k]}
}

func schedulerStatus(s policies.Status) *status.Scheduler {
	return &status.Scheduler{Name: s.Name, Speculation: s.Speculation, SinceMs: s.Since.UnixMilli(), By: s.By,
		Problem: s.Problem, UntilRestart: s.UntilRestart, Files: s.Files}
}
