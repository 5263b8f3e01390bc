//go:build integration

package apachehadoop

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

const masterBase = "/ws/v1/mapreduce"

// held is the mapper and the reducer of a job that waits for the test. The input of a map says what
// the map does.
const held = `#!/bin/sh
wait_for() { while [ -d "DIR" ] && ! [ -e "DIR/$1" ]; do sleep 0.1; done; }
case $1$(cat) in
fails) case $mapreduce_task_attempt_id in *_0) exit 3 ;; esac ;;
waits) wait_for maps ;;
reduce*) wait_for reduces ;;
esac
echo word
`

// The JobTracker and Hadoop's ApplicationMaster answer every documented call about a running job with
// the same names and types, and with the same values where these do not depend on the run.
func testMaster(ctx context.Context, t *testing.T, c *Cluster) {
	dir := t.TempDir()
	in, script := filepath.Join(dir, "held"), filepath.Join(dir, "held.sh")
	require.NoError(t, os.Mkdir(in, 0o755))
	for _, does := range []string{"comes", "fails", "waits"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, does), []byte(does+"\n"), 0o644))
	}
	require.NoError(t, os.WriteFile(script, []byte(strings.ReplaceAll(held, "DIR", dir)), 0o755))
	_, err := c.Run(ctx, Shell, "-put", in, "/held")
	require.NoError(t, err)
	args := func(in, out string) []string {
		return []string{"-D", "mapreduce.job.reduces=1", "-D", "mapreduce.job.reduce.slowstart.completedmaps=0",
			"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false", "-input", in,
			"-output", out, "-mapper", script, "-reducer", script + " reduce"}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(ctx, "org.apache.hadoop.streaming.HadoopStreaming", args("/held", "/held-out")...)
		ended <- err
	}()
	m := minicluster.Start(t, minicluster.Options{TaskTrackers: 3}) // a map that failed needs another one
	wait, _ := m.Background(append([]string{"streaming"}, args(in, filepath.Join(dir, "out"))...)...)

	manager := &restServer{t: t, url: "http://" + c.Web("resourcemanager")}
	app := c.awaitOne(ctx, manager, "/ws/v1/cluster/apps?states=RUNNING", "apps", "app")
	hadoops, ours := &restServer{t: t, url: manager.url + "/proxy/" + app}, &restServer{t: t, url: m.Web}
	for _, s := range []*restServer{hadoops, ours} {
		s.job = strings.TrimPrefix(c.awaitOne(ctx, s, masterBase+"/jobs", "jobs", "job"), "job_")
	}
	for _, phase := range []struct {
		tasks    string // states of the tasks
		shuffled bool   // whether the reduce has fetched the map outputs
		ends     string // what the test then lets end
	}{{"SUCCEEDED SUCCEEDED RUNNING RUNNING", false, "maps"}, {"SUCCEEDED SUCCEEDED SUCCEEDED RUNNING", true, "reduces"}} {
		for _, s := range []*restServer{hadoops, ours} {
			require.NoError(t, c.Await(ctx, phase.tasks, func() (bool, error) {
				return s.heldTasks() == phase.tasks && s.shuffled() == phase.shuffled, nil
			}))
		}
		paths := masterPaths(hadoops)
		require.Greater(t, len(paths), 40)
		for _, path := range paths {
			compareMasters(t, hadoops, ours, path)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, phase.ends), nil, 0o644))
	}
	require.NoError(t, <-ended)
	r := wait()
	require.Zero(t, r.Code, r.Err)
}

// awaitOne waits until a list has one element and returns its ID.
func (c *Cluster) awaitOne(ctx context.Context, s *restServer, path, list, element string) string {
	s.t.Helper()
	var ids []string
	require.NoError(s.t, c.Await(ctx, path, func() (bool, error) {
		ids = s.ids(path, list, element)
		return len(ids) == 1, nil
	}))
	return ids[0]
}

// heldTasks returns the states of the tasks, if all attempts of running tasks are running, too.
func (s *restServer) heldTasks() string {
	var states []string
	_, body, _ := s.get(masterBase+"/jobs/job_JOB/tasks", "application/json")
	for _, task := range list(body, "tasks", "task") {
		state := fmt.Sprint(task["state"])
		if _, attempts, _ := s.get(masterBase+"/jobs/job_JOB/tasks/"+fmt.Sprint(task["id"])+"/attempts",
			"application/json"); state == "RUNNING" {
			all := list(attempts, "taskAttempts", "taskAttempt")
			state = fmt.Sprint(all[len(all)-1]["state"])
		}
		states = append(states, state)
	}
	return strings.Join(states, " ")
}

// shuffled reports whether the reduce has fetched the map outputs.
func (s *restServer) shuffled() bool {
	_, body, _ := s.get(masterBase+"/jobs/job_JOB/tasks/task_JOB_r_000000/attempts", "application/json")
	return slices.ContainsFunc(list(body, "taskAttempts", "taskAttempt"), func(a map[string]any) bool {
		return fmt.Sprint(a["mergeFinishTime"]) != "0"
	})
}

// list returns the elements of a list.
func list(body map[string]any, name, element string) (out []map[string]any) {
	all, _ := body[name].(map[string]any)[element].([]any)
	for _, v := range all {
		out = append(out, v.(map[string]any))
	}
	return out
}

// masterPaths returns the addresses of all answers about the job. It leaves out /blacklistednodes, where
// Hadoop 3.4.2 answers with a ClassCastException.
func masterPaths(s *restServer) []string {
	const job = masterBase + "/jobs/job_JOB"
	paths := []string{masterBase, masterBase + "/", masterBase + "/info", masterBase + "/jobs", masterBase + "/jobs/none",
		masterBase + "/jobs/job_1_0001", job, job + "/jobattempts", job + "/counters", job + "/conf", job + "/tasks",
		job + "/tasks?type=m", job + "/tasks?type=r", job + "/tasks?type=x", job + "/tasks/none",
		job + "/tasks/none/counters", job + "/tasks/task_1_0001_m_000000"}
	add := func(path string, x map[string]any) {
		if paths = append(paths, path); x["state"] != "RUNNING" { // the time of the first counters depends on the run
			paths = append(paths, path+"/counters")
		}
	}
	_, body, _ := s.get(job+"/tasks", "application/json")
	for _, x := range list(body, "tasks", "task") {
		task := fmt.Sprint(job, "/tasks/", x["id"])
		add(task, x)
		paths = append(paths, task+"/attempts", task+"/attempts/none")
		_, body, _ := s.get(task+"/attempts", "application/json")
		for _, x := range list(body, "taskAttempts", "taskAttempt") {
			attempt := fmt.Sprint(task, "/attempts/", x["id"])
			add(attempt, x)
			paths = append(paths, attempt+"/state")
		}
	}
	return paths
}

// runValues are the fields of a running job whose values depend on the run.
var runValues = append(slices.Clone(ownValues), "appId", "name", "queue", "startTime", "finishTime", "elapsedTime",
	"mapProgress", "reduceProgress", "progress", "status", "diagnostics", "nodeHttpAddress", "nodeId",
	"assignedContainerId", "shuffleFinishTime", "mergeFinishTime", "elapsedShuffleTime", "elapsedMergeTime",
	"elapsedReduceTime", "path", "value", "totalCounterValue", "mapCounterValue", "reduceCounterValue", "counterGroupName",
	"source")

// runLists are the lists whose elements depend on the run.
var runLists = []string{"counterGroup", "taskCounterGroup", "taskAttemptCounterGroup", "counter", "property"}

func compareMasters(t *testing.T, hadoops, ours *restServer, path string) {
	t.Helper()
	code, want, _ := hadoops.get(path, "application/json")
	mine, got, _ := ours.get(path, "application/json")
	require.Equal(t, code, mine, path)
	a, b := merged(normalized(want, runValues)), merged(normalized(got, runValues))
	require.Equal(t, a, b, path)
	if code == http.StatusOK { // Hadoop's own errors in XML are broken
		_, _, x := hadoops.get(path, "application/xml")
		_, _, y := ours.get(path, "application/xml")
		names := func(b []byte) []string { return slices.Compact(elements(t, b, false)) }
		require.Equal(t, names(x), names(y), path)
	}
}

// merged replaces each of runLists with one element that has the fields of all elements.
func merged(v any) any {
	x, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for k, e := range x {
		all, _ := e.([]any)
		if !slices.Contains(runLists, k) {
			x[k] = merged(e)
			continue
		}
		one := map[string]any{}
		for _, e := range all {
			maps.Copy(one, merged(e).(map[string]any))
		}
		x[k] = one
	}
	return v
}
