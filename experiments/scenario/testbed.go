package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	mrclient "github.com/howdah/howdah/mrcluster/client"
	poolstatus "github.com/howdah/howdah/mrcluster/status"
)

// Testbed is a cluster or a pool that is already running. A scenario runs on it with the testbed's own
// nodes and daemons.
type Testbed struct {
	Name    string
	Options conf.GenericOptions // of its clients
	// Work is a directory that all nodes can read and write, for inputs and outputs. "" means a
	// temporary directory of this machine, which needs a testbed whose default file system is local.
	Work string
}

// jobTracker is the part of client.Client that a testbed needs.
type jobTracker interface {
	Cluster(ctx context.Context) (*status.Cluster, error)
	Scheduler(ctx context.Context) (*status.Scheduler, error)
	SetScheduler(ctx context.Context, name string, set []job.Property) (string, error)
	Journal(ctx context.Context, id job.ID) ([]byte, error)
	Close() error
}

// manager is the part of mrcluster/client.Client that a testbed needs.
type manager interface {
	Status(ctx context.Context, name string) (*poolstatus.Pool, error)
	Remove(ctx context.Context, name string, discard bool) error
	Close() error
}

// Suits returns an error of kind Config if the scenario has parts that no running testbed can be told.
func (s *Scenario) Suits() error {
	for _, x := range []struct {
		is   bool
		what string
	}{
		{s.Nodes.Cores > 0, "cores"}, {s.Nodes.Memory > 0, "memory"}, {len(s.Nodes.Files) > 0, "files"},
		{s.Pool == nil && len(s.Nodes.Settings) > 0, "set"}, {s.Pool != nil && s.Pool.Mbit > 0, "mbit"},
		{slices.ContainsFunc(ordered.Keys(s.Nodes.Settings), ofManager), "set of the manager"},
		{len(s.CoTenants) > 0, "co-tenants"}, {len(s.Aways) > 0 || !s.departs(), "faults"},
		{s.Pool == nil && s.orchestrates(), "orchestrator"},
	} {
		if x.is {
			return failure.New(failure.Config, "run scenario on a testbed", x.what,
				errors.New("a testbed keeps its own nodes and settings")).Fix("remove " + x.what + ", or leave --testbed out")
		}
	}
	for i := range s.Work {
		if w := &s.Work[i]; w.demands() && !w.IsApplication() {
			return failure.New(failure.Config, "run scenario on a testbed", "cpu and memory of "+w.Name,
				errors.New("the tasks of a trace's jobs only wait")).Fix("remove them, or leave --real out")
		}
	}
	return nil
}

// ofManager reports whether a setting is one of the manager rather than of an MR-cluster.
func ofManager(setting string) bool { return strings.HasPrefix(setting, "howdah.mrcluster.") }

// bad returns an error of kind Config about the testbed.
func (t *Testbed) bad(why, remedy string) error {
	return failure.New(failure.Config, "run scenario on testbed", t.Name, errors.New(why)).Fix(remedy)
}

// howdah returns a function that runs howdah commands as a client of the testbed.
func (t *Testbed) howdah(o *Options) howdahCommand {
	return func(ctx context.Context, args ...string) ([]byte, error) {
		return lab.RunHowdah(ctx, o.Binary, append(t.Options.Args(), args...))
	}
}

// open connects to the testbed, and makes it ready for a variant.
func (s *Scenario) open(ctx context.Context, o *Options, v Variant) (testbed, error) {
	c, err := o.Testbed.Options.Load()
	if err != nil {
		return nil, err
	}
	if s.Pool != nil {
		m, err := mrclient.Dial(c)
		if err != nil {
			return nil, err
		}
		return s.join(ctx, o, v, m)
	}
	address, err := client.Address(c)
	if err != nil {
		return nil, err
	}
	jobs, err := client.Connect(c, address, client.User(c))
	if err != nil {
		return nil, err
	}
	return s.take(ctx, o, v, jobs)
}

// existing is a testbed while a variant runs on it.
type existing struct {
	reports
	howdah howdahCommand
	set    []string   // options of each job
	jobs   jobTracker // of a cluster; nil on a pool, whose MR-clusters may use the same job IDs
	leave  func()     // gives the testbed back
}

func (e *existing) begin() time.Time { return time.Time{} }

func (e *existing) command(ctx context.Context, w *Work, args ...string) ([]byte, error) {
	return e.run(ctx, e.howdah, w, slices.Concat(args[:1], e.set, args[1:]))
}

func (e *existing) collect(ctx context.Context, run *Run) (journals [][]byte, err error) {
	e.complete(run)
	for i := range run.Jobs {
		for _, name := range run.Jobs[i].IDs {
			id, err := job.ParseID(name)
			if e.jobs == nil || err != nil {
				continue
			}
			text, err := e.jobs.Journal(ctx, id)
			if err != nil {
				return nil, err
			}
			journals = append(journals, text)
		}
	}
	return journals, nil
}

func (e *existing) disturb(context.Context, time.Time, *sync.WaitGroup) error { return nil }

func (e *existing) stop() { e.leave() }

// leaveTime is the maximum time to give a testbed back.
const leaveTime = time.Minute

// take makes a running cluster ready. It closes jobs if it fails, and otherwise when the testbed stops.
func (s *Scenario) take(ctx context.Context, o *Options, v Variant, jobs jobTracker) (testbed, error) {
	t := o.Testbed
	was, err := s.fit(ctx, t, v, jobs)
	if err == nil && was != v.Scheduler {
		o.tell("%s: scheduler %s instead of %s until the end of the repetition", t.Name, v.Scheduler, was)
		_, err = jobs.SetScheduler(ctx, v.Scheduler, nil)
	}
	if err != nil {
		jobs.Close()
		return nil, err
	}
	return &existing{howdah: t.howdah(o), set: s.jobSettings(), jobs: jobs, leave: func() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
		defer cancel()
		if was != v.Scheduler {
			if _, err := jobs.SetScheduler(ctx, was, nil); err != nil {
				o.tell("%s: cannot set the scheduler back to %s: %v", t.Name, was, err)
			}
		}
		jobs.Close()
	}}, nil
}

// fit returns the name of the cluster's scheduler, or an error if the cluster is not the one that the
// scenario describes or has other work.
func (s *Scenario) fit(ctx context.Context, t *Testbed, v Variant, jobs jobTracker) (scheduler string, err error) {
	all, err := jobs.Cluster(ctx)
	if err != nil {
		return "", err
	}
	nodes := 0
	for _, x := range all.Trackers {
		if x.Blacklisted || x.Drain != nil {
			continue
		}
		nodes++
		if has := [2]int32{x.Maps.Total, x.Reduces.Total}; has != s.Nodes.Slots {
			return "", t.bad(fmt.Sprintf("its TaskTracker %s has %d map and %d reduce slots", x.Name, has[0], has[1]),
				"change maps and reduces of the scenario")
		}
	}
	if nodes != s.Nodes.Count {
		return "", t.bad(fmt.Sprintf("it has %d active TaskTrackers, the scenario %d", nodes, s.Nodes.Count),
			"change nodes of the scenario")
	}
	if n := all.Prep + all.Running; n > 0 {
		return "", t.bad(fmt.Sprintf("it has %d unfinished jobs, which would disturb the run", n), "wait for them, or kill them")
	}
	now, err := jobs.Scheduler(ctx)
	if err != nil {
		return "", err
	}
	if s.Nodes.Speculation != "none" && s.Nodes.Speculation != now.Speculation {
		return "", t.bad("its rule for slow tasks is "+now.Speculation, "change speculation of the scenario")
	}
	return now.Name, nil
}

// jobSettings returns the options of jobs that make up for settings of the scenario's cluster.
func (s *Scenario) jobSettings() []string {
	if s.Nodes.Speculation != "none" {
		return nil
	}
	return []string{"-D", conf.MapSpeculative.Name + "=false", "-D", conf.ReduceSpeculative.Name + "=false"}
}

// join requests the MR-clusters on a running pool. It closes m if it fails, and otherwise when the
// testbed stops.
func (s *Scenario) join(ctx context.Context, o *Options, v Variant, m manager) (testbed, error) {
	t, howdah := o.Testbed, o.Testbed.howdah(o)
	st, err := m.Status(ctx, "")
	switch {
	case err != nil:
	case len(st.Nodes) != s.Nodes.Count:
		err = t.bad(fmt.Sprintf("it has %d nodes, the scenario %d", len(st.Nodes), s.Nodes.Count), "change nodes of the scenario")
	case st.Weights != v.Weights:
		err = t.bad(fmt.Sprintf("its weights are %s, the scenario's %s", st.Weights, v.Weights),
			"change weights of the scenario, or restart the manager")
	case len(st.Clusters) > 0:
		err = t.bad("it has MR-clusters, which would disturb the run", "remove them")
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	e := &existing{howdah: howdah, leave: func() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
		defer cancel()
		for _, c := range s.Pool.Clusters {
			if err := m.Remove(ctx, c.Name, true); err != nil && !failure.Is(err, failure.NotFound) {
				o.tell("%s: cannot remove MR-cluster %s: %v", t.Name, c.Name, err)
			}
		}
		m.Close()
	}}
	options := []string{"--grow", s.Pool.Grow}
	for _, set := range s.settings(v) {
		if !ofManager(set) {
			options = append(options, "--set", set)
		}
	}
	err = s.awaitNodes(ctx, func(ctx context.Context) (*poolstatus.Pool, error) { return m.Status(ctx, "") }, t.Name)
	if err == nil {
		err = s.request(ctx, howdah, options)
	}
	if err != nil {
		e.stop()
		return nil, err
	}
	return e, nil
}

// share copies the inputs to a new directory in t.Work. It returns that directory, the inputs' paths
// there, and a function that removes the directory. Without t.Work, the inputs stay where they are.
func (t *Testbed) share(ctx context.Context, o *Options, inputs map[string]string) (dir string, there map[string]string,
	remove func(), err error) {
	if t.Work == "" {
		c, err := t.Options.Load()
		if fs := conf.FSDefaultFS.Get(c); err == nil && !strings.HasPrefix(fs, "file:") {
			err = t.bad("its files are in "+fs+", where the scenario has no directory", "name a directory with --work")
		}
		return "", inputs, func() {}, err
	}
	howdah := t.howdah(o)
	dir = fmt.Sprintf("%s/howdah-scenario-%08x", strings.TrimSuffix(t.Work, "/"), rand.Uint32())
	remove = func() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
		defer cancel()
		if _, err := howdah(ctx, "fs", "-rm", "-r", "-f", "-skipTrash", dir); err != nil {
			o.tell("%s: cannot remove %s: %v", t.Name, dir, err)
		}
	}
	_, err = howdah(ctx, "fs", "-mkdir", "-p", dir)
	there = map[string]string{}
	copied := map[string]string{}
	for _, part := range ordered.Keys(inputs) {
		from := inputs[part]
		if copied[from] == "" && err == nil {
			copied[from] = fmt.Sprintf("%s/input-%d", dir, len(copied)+1)
			_, err = howdah(ctx, "fs", "-put", from, copied[from])
		}
		there[part] = cmp.Or(copied[from], from)
	}
	if err != nil {
		remove()
		return "", nil, nil, err
	}
	return dir, there, remove, nil
}
