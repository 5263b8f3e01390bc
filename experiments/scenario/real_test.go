package scenario

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// The nodes of a pool get the limits that the orchestrator needs, and the scenario's files.
func TestPoolOptions(t *testing.T) {
	s := parse(t, onPool(`kind: namespaces, cores: 0.8, memory: 3GB, files: {x: "1"}`)+"orchestrator: \"on\"\n")
	o := s.poolOptions(s.Variants()[0], "/scratch")
	for _, want := range []string{"howdah.orchestrator=on", "howdah.tasktracker.cgroups=required",
		"howdah.orchestrator.node.cpu=800", "howdah.tasktracker.memory.mb=3072", "mapreduce.map.memory.mb=1024"} {
		require.Contains(t, o.Set, want)
	}
	require.Equal(t, 0.8, o.Namespaces.Cores)
	require.Equal(t, map[string]string{"x": "1"}, o.Files)
	s = parse(t, onPool("kind: containers, image: mine, cores: 2"))
	require.Equal(t, &lab.Containers{Image: "mine", Cores: 2, Mounts: []string{"/scratch"}},
		s.poolOptions(s.Variants()[0], "/scratch").Containers)
	s = parse(t, onPool("maps: 1"))
	require.NotContains(t, s.poolOptions(s.Variants()[0], "/scratch").Set, "howdah.tasktracker.cgroups=required")
}

func TestDepart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, minimal+"faults: lose 1 1s 3s; leave all 2s\n")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var all sync.WaitGroup
		var mu sync.Mutex
		var got []string
		start := time.Now()
		note := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprint(time.Since(start).Seconds())+" "+fmt.Sprintf(format, args...))
		}
		s.depart(ctx, start, &all, func(n int, leave bool) { note("stop %d %t", n, leave) },
			func(n int) { note("return %d", n) })
		all.Wait()
		slices.Sort(got)
		require.Equal(t, []string{"1 stop 1 false", "2 stop 1 true", "2 stop 2 true", "3 return 1"}, got)
	})
}
