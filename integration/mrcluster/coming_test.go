//go:build integration

package mrcluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/howdah/howdah/integration/testpool"
)

// The manager tells the scheduler of a growing MR-cluster how many nodes will come, and the scheduler
// reads it.
func TestSchedulerKnowsComingNodes(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 4, Set: []string{"howdah.mrcluster.threshold=0"}})
	p.Must("mrcluster", "create", "a", "--core", "1", "--grow", "transient", "--set",
		"mapreduce.jobtracker.taskscheduler=reverse-adaptive", "--set", "howdah.adaptive.capacity.source=manager")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if r := p.Howdah("run", "-q", "--mrcluster", "a", "sleep", "-m", "300", "-r", "0", "-mt", "1000"); r.Code != 0 {
			t.Errorf("the job failed: %s", r.Err)
		}
	}()
	read := func(elements ...string) (all string) {
		dir := []string{p.NodeDir("*"), "agent", "deployments", "a-*"}
		names, _ := filepath.Glob(filepath.Join(append(dir, elements...)...))
		for _, name := range names {
			text, _ := os.ReadFile(name)
			all += string(text)
		}
		return all
	}
	foretold := false
	p.Eventually("the scheduler to read that nodes come", func() bool {
		coming := read("conf", "jobtracker", "coming")
		foretold = foretold || strings.Contains(coming, "\n0 0.")
		return foretold && strings.Contains(read("logs", "jobtracker.log"), "its files changed")
	})
	p.Eventually("all nodes to work", func() bool { return p.Free() == 0 })
	<-ended
}
