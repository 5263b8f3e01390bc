//go:build integration

package compose

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// TestCompose runs jobs on the cluster of docker/compose.yaml. The steps build on each other.
func TestCompose(t *testing.T) {
	p := newProject(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	writeInput(t, p.work(), rand.New(rand.NewPCG(seed, 0)))
	p.do("up", "-d")
	p.scale(3)
	p.ok("fs", "-put", "/here/in", "/in")

	words := counted(t, p.work())
	p.wordCount("/counted")
	require.Equal(t, words, p.ok("fs", "-cat", "/counted/part-*"))
	p.limitsHold()

	p.scale(5)
	slow := slowly(t, p.work())
	p.loseContainersWithin("/slow")
	require.Equal(t, slow, p.ok("fs", "-cat", "/slow/part-*"))

	p.kill("datanode2")
	p.scale(2)
	p.wordCount("/countedbytwo")
	require.Equal(t, words, p.ok("fs", "-cat", "/countedbytwo/part-*"))

	p.poolLosesANode("/countedbypool", "/slowbypool")
	require.Equal(t, words, p.ok("fs", "-cat", "/countedbypool/part-*"))
	require.Equal(t, slow, p.ok("fs", "-cat", "/slowbypool/part-*"))
}

const inputFiles = 40 // one map each

// writeInput creates files of random words, and a slow program for Streaming.
func writeInput(t testing.TB, dir string, r *rand.Rand) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in"), 0o755))
	for i := range inputFiles {
		var b bytes.Buffer
		for range 500 {
			fmt.Fprintf(&b, "w%d w%d w%d\n", r.IntN(10), r.IntN(1000), r.IntN(100_000))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "in", fmt.Sprintf("part-%02d", i)), b.Bytes(), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "slow"), []byte("#!/bin/sh\nsleep $PAUSE\nexec tr -s ' ' '\\n'\n"),
		0o755))
}

// counted returns the expected output of the word count, computed outside containers.
func counted(t testing.TB, dir string) string {
	t.Helper()
	return alone(t, dir+"/counted", "run", "-D", "mapreduce.job.reduces=3", "wordcount", dir+"/in", dir+"/counted")
}

// slowly returns the expected output of the Streaming job, computed outside containers without its
// delays.
func slowly(t testing.TB, dir string) string {
	t.Helper()
	return alone(t, dir+"/slowly", append(slowJob(dir, "file:"+dir+"/in", 0), "-output", dir+"/slowly")...)
}

func alone(t testing.TB, out string, args ...string) string {
	t.Helper()
	r := minicluster.Alone(t, args...)
	require.Zero(t, r.Code, r.Err)
	parts, err := filepath.Glob(out + "/part-*")
	require.NoError(t, err)
	require.Len(t, parts, 3)
	var all strings.Builder
	for _, name := range parts {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(b)
	}
	return all.String()
}

// slowJob returns the arguments of a word count with a mapper that sleeps first. writeInput creates
// the files in dir.
func slowJob(dir, in string, pause int) []string {
	return []string{"streaming", "-D", "mapreduce.job.reduces=3", "-files", dir + "/slow",
		"-cmdenv", fmt.Sprintf("PAUSE=%d", pause),
		"-mapper", "slow", "-reducer", "uniq -c", "-input", in}
}

func (p *project) wordCount(out string, options ...string) {
	p.t.Helper()
	p.ok(slices.Concat([]string{"run"}, options, []string{"-D", "mapreduce.job.reduces=3", "wordcount", "/in", out})...)
}

// limitsHold checks that attempts inside the containers run in control groups, and that the limits
// of these groups take effect.
func (p *project) limitsHold() {
	p.t.Helper()
	const limit = 256 // MiB
	load := p.background("run", "loadgen", "-D", fmt.Sprintf("mapreduce.map.memory.mb=%d", limit), "-m", "6", "-r", "0",
		"-map", "cpu=3s,memory=20m")
	p.await("an attempt with its limit", func() bool {
		for _, id := range p.containers("tasktracker") {
			// The kernel's interface is version 1 or 2. Groups appear and disappear while the test
			// reads them.
			said := docker(p.t, "exec", id, "sh", "-c", "cat /sys/fs/cgroup/memory/howdah/*/*/memory.limit_in_bytes "+
				"/sys/fs/cgroup/howdah/*/*/memory.max 2>/dev/null || true")
			if strings.Contains(said, fmt.Sprintf("%d\n", limit<<20)) {
				return true
			}
		}
		return false
	})
	require.Zero(p.t, load.wait().code)
	r := p.client("run", "loadgen", "-D", "mapreduce.map.memory.mb=128", "-D", "mapreduce.map.maxattempts=1", "-m", "1",
		"-r", "0", "-map", "memory=400m")
	require.Equal(p.t, 1, r.code, r.err)
	require.Contains(p.t, r.err, "out of memory")
}

var someMapsAreDone = regexp.MustCompile(`map [1-9]`)

// loseContainersWithin kills a TaskTracker and the JobTracker while a job runs, and restarts the
// JobTracker.
func (p *project) loseContainersWithin(out string) {
	p.t.Helper()
	job := p.background(append(slowJob("/here", "/in", 4), "-output", out)...)
	p.await("maps to be done", func() bool { return someMapsAreDone.MatchString(job.said()) })
	p.kill("tasktracker")
	docker(p.t, "start", p.kill("jobtracker"))
	r := job.wait()
	require.Zero(p.t, r.code, r.err)
	require.Regexp(p.t, `Killed map tasks=[1-9]`, r.err, "nothing was lost with the TaskTracker")
}

// kill kills one of a service's containers and returns its ID.
func (p *project) kill(service string) string {
	p.t.Helper()
	ids := p.containers(service)
	require.NotEmpty(p.t, ids, service)
	docker(p.t, "kill", ids[0])
	return ids[0]
}
