//go:build integration

package trust

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/testpool"
)

// Row 3: an agent that runs as root does for another user only what that user may do. It copies no file
// that only root can read, and runs no program that it does not know.
func TestMasterAgentActsAsUser(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 1})
	alice := masterAccount(t, "hm-alice")
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, os.WriteFile(dir+"/secret", []byte("of root"), 0o600))
	alice.file(t, alice.home+"/in", "text\n", 0o600)
	as := []string{"-D", "mapreduce.job.user.name=" + alice.name}
	create := func(args ...string) {
		p.Must(append([]string{"mrcluster", "create"}, append(as, args...)...)...)
	}
	deploy := func(name string) {
		p.Howdah("run", "--mrcluster", name, "sleep", "-m", "1", "-r", "0", "-mt", "1")
	}
	failed := func(name, text string) {
		var job sync.WaitGroup
		job.Go(func() { deploy(name) })
		defer job.Wait()
		p.Eventually("the reason to be said", func() bool {
			return strings.Contains(p.Howdah("mrcluster", "status").Out+p.Log(), text)
		})
		p.Must("mrcluster", "remove", "--discard", name)
		p.Eventually("it to be forgotten", func() bool {
			s, ok := p.Status()
			return ok && len(s.Clusters) == 0 && p.Free() == 1
		})
	}

	create("a", "--load", "file:"+dir+"/secret=file:"+alice.home+"/taken")
	failed("a", "permission denied")
	require.NoFileExists(t, alice.home+"/taken")

	evil := dir + "/evil"
	require.NoError(t, os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+dir+"/ran\n"), 0o755))
	create("b", "--binary", evil)
	failed("b", "howdah.mrcluster.programs")
	require.NoFileExists(t, dir+"/ran")

	create("c", "--load", "file:"+alice.home+"/in=file:"+alice.home+"/out")
	p.Must("run", "--mrcluster", "c", "sleep", "-m", "1", "-r", "0", "-mt", "1")
	for name, f := range masterFiles(t, alice.home+"/out") {
		require.Equal(t, [2]int{alice.uid, alice.gid}, [2]int(f[:2]), name)
	}
	p.Must("mrcluster", "remove", "c")
}
