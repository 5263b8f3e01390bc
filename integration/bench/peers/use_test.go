//go:build integration

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// webs serves the answers of a ResourceManager and of a JobHistoryServer.
type webs struct {
	apps     string            // elements of the list of applications
	counters map[string]string // groups of counters, by path
}

func (w *webs) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	text, ok := `{"apps":{"app":[`+w.apps+`]}}`, true
	if r.URL.Path != "/ws/v1/cluster/apps" {
		text, ok = w.counters[r.URL.Path]
		text = `{"jobCounters":{"counterGroup":[` + text + `]}}`
	}
	if !ok {
		out.WriteHeader(http.StatusNotFound)
	}
	fmt.Fprint(out, text)
}

func counter(name string, value int) string {
	return fmt.Sprintf(`{"name":%q,"totalCounterValue":%d}`, name, value)
}

func TestUse(t *testing.T) {
	w := &webs{apps: `{"id":"application_1_0001","state":"FINISHED","memorySeconds":2048}`, counters: map[string]string{}}
	s := httptest.NewServer(w)
	defer s.Close()
	addr := strings.TrimPrefix(s.URL, "http://")
	a := &applications{addr, addr, map[string]bool{}}
	group := func(name string, counters ...string) string {
		return fmt.Sprintf(`{"counterGroupName":%q,"counter":[%s]}`, name, strings.Join(counters, ","))
	}
	path := func(id int) string { return fmt.Sprintf("/ws/v1/history/mapreduce/jobs/job_1_%04d/counters", id) }
	const jobs, tasks = "org.apache.hadoop.mapreduce.JobCounter", "org.apache.hadoop.mapreduce.TaskCounter"
	launched := group(jobs, counter("TOTAL_LAUNCHED_MAPS", 8), counter("TOTAL_LAUNCHED_REDUCES", 2),
		counter("DATA_LOCAL_MAPS", 7))
	peaks := group(tasks, counter("MAP_PHYSICAL_MEMORY_BYTES_MAX", 300<<20),
		counter("REDUCE_PHYSICAL_MEMORY_BYTES_MAX", 200<<20))

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := a.latest(ctx)
	require.Error(t, err, "the history lacks the job")
	w.counters[path(1)] = launched + "," + peaks + "," + group("mine", counter("TOTAL_LAUNCHED_MAPS", 100))
	u, err := a.latest(t.Context())
	require.NoError(t, err)
	require.Equal(t, use{containers: 11, maps: 8, local: 7, memory: 2, mapPeak: 300, reducePeak: 200}, u)

	w.apps += `,{"id":"application_1_0002","state":"FINISHED","memorySeconds":1024},
		{"id":"application_1_0003","state":"RUNNING","memorySeconds":1024}`
	w.counters[path(2)] = launched
	w.counters[path(3)] = group(tasks, counter("MAP_PHYSICAL_MEMORY_BYTES_MAX", 1<<20))
	_, _, err = a.read(t.Context())
	require.ErrorContains(t, err, "application_1_0003 is RUNNING")
	w.apps = strings.Replace(w.apps, "RUNNING", "FINISHED", 1)
	u, err = a.latest(t.Context())
	require.NoError(t, err)
	require.Equal(t, use{containers: 12, maps: 8, local: 7, memory: 2, mapPeak: 1}, u, "of two applications")
	u, err = a.latest(t.Context())
	require.NoError(t, err)
	require.Zero(t, u)
}
