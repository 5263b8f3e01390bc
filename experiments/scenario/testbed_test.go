package scenario

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mrcluster"
	poolstatus "github.com/howdah/howdah/mrcluster/status"
)

// bed returns options for a testbed whose howdah command only records its arguments, and the records.
func bed(t *testing.T, work string, options ...string) (o *Options, commands func() string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "howdah")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"$@\" >> "+dir+"/log\n"), 0o755))
	generic, _, err := conf.ParseGeneric(options)
	require.NoError(t, err)
	return &Options{Binary: script, Testbed: &Testbed{Name: "bed", Work: work, Options: generic}}, func() string {
		b, err := os.ReadFile(dir + "/log")
		require.NoError(t, err)
		return string(b)
	}
}

func TestSuits(t *testing.T) {
	require.NoError(t, parse(t, minimal).Suits())
	require.NoError(t, parse(t, onPool("set: {mapreduce.map.maxattempts: 2}")).Suits())
	for text, want := range map[string]string{
		minimal + "faults: lose 1 1s": "remove faults",
		minimal + "faults: fail 0.1":  "remove faults",
		strings.Replace(minimal, "nodes: 2", "nodes: 2, cores: 1", 1) + "co-tenants: {share: {1s: 0.5}}": "remove cores",
		minimal + "co-tenants: {takes: slots, share: {1s: 0.5}}":                                         "remove co-tenants",
		strings.Replace(minimal, "nodes: 2", "nodes: 2, set: {mapreduce.map.maxattempts: 2}", 1):         "remove set",
		strings.Replace(minimal, "nodes: 2", "nodes: 2, memory: 1GB", 1):                                 "remove memory",
		onPool("set: {howdah.mrcluster.threshold: 2}"):                                                   "remove set of the manager",
		onPool("kind: namespaces, mbit: 3"):                                                              "remove mbit",
	} {
		err := parse(t, text).Suits()
		require.ErrorContains(t, err, want, text)
		require.True(t, failure.Is(err, failure.Config))
	}
}

// jobs is a JobTracker with TaskTrackers of two map slots and one reduce slot.
type jobs struct {
	all    status.Cluster
	now    status.Scheduler
	asked  []string // schedulers that were set
	refuse error
	closed bool
}

func (j *jobs) Cluster(context.Context) (*status.Cluster, error)     { return &j.all, nil }
func (j *jobs) Scheduler(context.Context) (*status.Scheduler, error) { return &j.now, nil }
func (j *jobs) Close() error                                         { j.closed = true; return nil }

func (j *jobs) SetScheduler(_ context.Context, name string, _ []job.Property) (string, error) {
	j.asked = append(j.asked, name)
	return "", j.refuse
}

func (j *jobs) Journal(_ context.Context, id job.ID) ([]byte, error) {
	return []byte("of " + id.String()), nil
}

func newJobs(trackers int) *jobs {
	j := &jobs{now: status.Scheduler{Name: "fair", Speculation: "hadoop1"}}
	for range trackers {
		j.all.Trackers = append(j.all.Trackers, &status.Tracker{Name: "t", Maps: status.Slots{Total: 2},
			Reduces: status.Slots{Total: 1}})
	}
	return j
}

// A running cluster gets the scenario's scheduler, and its own one back. Its jobs run without
// speculative attempts if the scenario has none.
func TestTakesCluster(t *testing.T) {
	s := parse(t, minimal+"scheduler: [fifo, fair]\n")
	o, commands := bed(t, "", "-jt", "h:1")
	j := newJobs(2)
	b, err := s.take(t.Context(), o, s.Variants()[0], j)
	require.NoError(t, err)
	require.Equal(t, []string{"fifo"}, j.asked)
	_, err = b.command(t.Context(), &s.Work[0], "wordcount", "in", "out")
	require.NoError(t, err)
	require.Regexp(t, `-D mapreduce.jobtracker.address=h:1 .* run -q --json wordcount `+
		`-D mapreduce.map.speculative=false -D mapreduce.reduce.speculative=false in out\n`, commands())
	journals, err := b.collect(t.Context(), &Run{Jobs: []Job{{IDs: []string{"job_1_0001"}}, {IDs: []string{"job_1_0002"}}}})
	require.NoError(t, err)
	require.Equal(t, "of job_1_0001 of job_1_0002", string(bytes.Join(journals, []byte(" "))))
	b.stop()
	require.Equal(t, []string{"fifo", "fair"}, j.asked)
	require.True(t, j.closed)

	j = newJobs(2)
	b, err = s.take(t.Context(), o, s.Variants()[1], j)
	require.NoError(t, err)
	b.stop()
	require.Empty(t, j.asked, "the cluster has that scheduler already")
}

func TestDoesNotTakeCluster(t *testing.T) {
	s := parse(t, minimal)
	for want, change := range map[string]func(*jobs){
		"it has 3 active TaskTrackers, the scenario 2; change nodes": func(j *jobs) { *j = *newJobs(3) },
		"it has 1 active TaskTrackers":                               func(j *jobs) { j.all.Trackers[0].Blacklisted = true },
		"has 4 map and 1 reduce slots; change maps":                  func(j *jobs) { j.all.Trackers[1].Maps.Total = 4 },
		"it has 3 unfinished jobs":                                   func(j *jobs) { j.all.Prep, j.all.Running = 1, 2 },
		"you may not":                                                func(j *jobs) { j.refuse = errors.New("you may not") },
	} {
		o, _ := bed(t, "")
		j := newJobs(2)
		change(j)
		_, err := s.take(t.Context(), o, s.Variants()[0], j)
		require.ErrorContains(t, err, want)
		require.True(t, j.closed, want)
	}
	s = parse(t, strings.Replace(minimal, "nodes: 2", "nodes: 2, speculation: late", 1))
	o, _ := bed(t, "")
	_, err := s.take(t.Context(), o, s.Variants()[0], newJobs(2))
	require.ErrorContains(t, err, "its rule for slow tasks is hadoop1")
	require.Empty(t, s.jobSettings())
}

// pool is a manager with free nodes.
type pool struct {
	poolstatus.Pool
	removed []string
	closed  bool
}

func (p *pool) Status(context.Context, string) (*poolstatus.Pool, error) { return &p.Pool, nil }
func (p *pool) Close() error                                             { p.closed = true; return nil }

func (p *pool) Remove(_ context.Context, name string, _ bool) error {
	p.removed = append(p.removed, name)
	return nil
}

func newPool(nodes int) *pool {
	p := &pool{Pool: poolstatus.Pool{Weights: "TD"}}
	for range nodes {
		p.Nodes = append(p.Nodes, &mrcluster.NodeView{State: mrcluster.Free})
	}
	return p
}

// MR-clusters on a running pool get the scenario's settings, and go away at the end.
func TestJoinsPool(t *testing.T) {
	s := parse(t, onPool("maps: 3, set: {mapreduce.map.maxattempts: 2}")+"scheduler: fair\n")
	o, commands := bed(t, "")
	p := newPool(2)
	b, err := s.join(t.Context(), o, s.Variants()[0], p)
	require.NoError(t, err)
	for _, want := range []string{"mrcluster create a --core 1 --grow transient", "--set mapreduce.map.maxattempts=2",
		"--set mapreduce.jobtracker.taskscheduler=fair", "--set mapreduce.tasktracker.map.tasks.maximum=3"} {
		require.Contains(t, commands(), want)
	}
	require.NotContains(t, commands(), "howdah.mrcluster.")
	b.stop()
	require.Equal(t, []string{"a"}, p.removed)
	require.True(t, p.closed)

	for want, change := range map[string]func(*pool){
		"it has 3 nodes, the scenario 2":        func(p *pool) { *p = *newPool(3) },
		"its weights are EQ, the scenario's TD": func(p *pool) { p.Weights = "EQ" },
		"it has MR-clusters":                    func(p *pool) { p.Clusters = []*poolstatus.Cluster{{}} },
	} {
		p := newPool(2)
		change(p)
		_, err := s.join(t.Context(), o, s.Variants()[0], p)
		require.ErrorContains(t, err, want)
		require.True(t, p.closed, want)
	}
}

// Inputs go to the directory that the nodes share, once each.
func TestShare(t *testing.T) {
	o, commands := bed(t, "/shared/")
	inputs := map[string]string{"a": "/tmp/in", "b": "/tmp/in", "c": "/tmp/other"}
	dir, there, remove, err := o.Testbed.share(t.Context(), o, inputs)
	require.NoError(t, err)
	require.Regexp(t, `^/shared/howdah-scenario-[0-9a-f]{8}$`, dir)
	require.Equal(t, map[string]string{"a": dir + "/input-1", "b": dir + "/input-1", "c": dir + "/input-2"}, there)
	remove()
	require.Equal(t, "fs -mkdir -p "+dir+"\nfs -put /tmp/in "+dir+"/input-1\nfs -put /tmp/other "+dir+"/input-2\n"+
		"fs -rm -r -f -skipTrash "+dir+"\n", commands())

	o, _ = bed(t, "")
	dir, there, _, err = o.Testbed.share(t.Context(), o, inputs)
	require.NoError(t, err)
	require.Empty(t, dir)
	require.Equal(t, inputs, there)
	o, _ = bed(t, "", "-fs", "nn:9820")
	_, _, _, err = o.Testbed.share(t.Context(), o, inputs)
	require.ErrorContains(t, err, "its files are in hdfs://nn:9820, where the scenario has no directory; name a directory with --work")
}
