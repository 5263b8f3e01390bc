package daemon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// groups lists the policy's pools or queues; nil if it has none.
func groups(m *jobtracker.Machine) []scheduler.Group {
	if g, ok := m.Policy().(scheduler.Grouper); ok {
		return g.Groups(m, nil)
	}
	return nil
}

// groupOf names the pool or queue of a job that is not over; "" = it has none.
func groupOf(m *jobtracker.Machine, seq int32) string {
	g, ok := m.Policy().(scheduler.Grouper)
	if j := m.Job(seq); !ok || j == nil || j.State.Terminal() {
		return ""
	}
	return g.GroupOf(m, seq)
}

// Queues lists the queues of the configuration and the policy's pools, which may be the same ones.
func (d *jobsService) Queues(ctx context.Context, r *client.QueuesRequest) (*client.QueuesReply, error) {
	user := d.requester(r.User)
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*client.QueuesReply, error) {
		reply := &client.QueuesReply{}
		byName := map[string]*client.QueueInfo{}
		add := func(q Queue) *client.QueueInfo {
			info := &client.QueueInfo{Name: q.Name, State: q.state(), Info: "scheduler " + d.policies.present().name}
			info.SubmitAcl, info.AdminAcl = rights(m, q.Name, user, r.User)
			byName[q.Name] = info
			reply.Queue = append(reply.Queue, info)
			return info
		}
		for _, q := range d.policies.list() {
			add(q)
		}
		for _, g := range groups(m) {
			info := byName[g.Name]
			if info == nil {
				info = add(Queue{Name: g.Name})
			}
			info.Info = groupText(&g)
		}
		for _, seq := range m.AllJobs() {
			j := m.Job(seq)
			info := byName[j.Spec.Queue]
			if g := byName[groupOf(m, seq)]; g != nil {
				info = g
			}
			switch {
			case info == nil || j.State.Terminal():
			case j.Running[job.Map]+j.Running[job.Reduce] > 0:
				info.Running++
			default:
				info.Waiting++
			}
		}
		return reply, nil
	})
}

// rights gives who may submit to a queue and administer its jobs: everybody, or of all users at least the one who asks. name
// is what that user is called; user is "" for an administrator.
func rights(m *jobtracker.Machine, queue, user, name string) (submit, admin []string) {
	g, ok := m.Policy().(scheduler.QueueKeeper)
	if !ok || user == "" {
		return []string{"*"}, []string{"*"}
	}
	maySubmit, mayAdmin := g.MayUse(m, queue, user)
	if maySubmit {
		submit = []string{name}
	}
	if mayAdmin {
		admin = []string{name}
	}
	return submit, admin
}

// groupText describes a pool or queue in a few words.
func groupText(g *scheduler.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "weight %g, %d jobs", round2(g.Weight), g.Jobs)
	amounts := []string{"maps", "reduces"}
	if g.Memory {
		amounts = []string{"MiB"}
	}
	for k, name := range amounts {
		fmt.Fprintf(&b, "; %s: %d running of a share of %d, demand %d", name, g.Running[k], g.Fair[k], g.Demand[k])
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

// Scheduler tells all that the scheduler's page shows.
func (d *jobsService) Scheduler(ctx context.Context, _ *client.Empty) (*client.SchedulerStatus, error) {
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*client.SchedulerStatus, error) {
		s := d.policies.status()
		for _, g := range groups(m) {
			s.Group = append(s.Group, &client.GroupStatus{Name: g.Name, Jobs: g.Jobs, Weight: g.Weight, Memory: g.Memory, Maps: slotGroup(&g, job.Map), Reduces: slotGroup(&g, job.Reduce)})
		}
		for _, seq := range m.AllJobs() {
			if !m.Job(seq).State.Terminal() {
				s.Job = append(s.Job, d.jobStatus(m, seq, &client.StatusRequest{}))
			}
		}
		return s, nil
	})
}

func slotGroup(g *scheduler.Group, k job.TaskType) *client.SlotGroup {
	return &client.SlotGroup{Min: g.Min[k], Max: g.Max[k], Fair: g.Fair[k], Demand: g.Demand[k], Running: g.Running[k], Borrowed: g.Borrowed[k]}
}

// status tells which policy is in place and since when.
func (p *policies) status() *client.SchedulerStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &client.SchedulerStatus{Name: p.now.name, Speculation: p.now.speculation, SinceMs: p.since.UnixMilli(), By: p.by, Problem: cmp.Or(p.problem, p.misfit), UntilRestart: p.now.other}
	for _, f := range p.now.files {
		if f.Data != nil {
			s.File = append(s.File, f.Path)
		}
	}
	return s
}
