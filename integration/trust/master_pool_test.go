//go:build integration

package trust

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/freeport"
)

// Row 3: an agent that runs as root does for another user only what that user may do. It does not
// copy files that only root can read, and it does not run unknown programs.
func TestMasterAgentActsAsUser(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 1})
	alice := testuser.New(t, "hm-alice")
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, os.WriteFile(dir+"/secret", []byte("of root"), 0o600))
	alice.File(t, alice.Home+"/in", "text\n", 0o600)
	as := []string{"-D", "mapreduce.job.user.name=" + alice.Name}
	create := func(args ...string) {
		p.Must(append([]string{"mrcluster", "create"}, append(as, args...)...)...)
	}
	deploy := func(name string) {
		p.Howdah("run", "--mrcluster", name, "sleep", "-m", "1", "-r", "0", "-mt", "1")
	}
	failed := func(name, text, taken string) {
		var job sync.WaitGroup
		job.Go(func() { deploy(name) })
		defer job.Wait()
		p.Eventually("the reason to be said", func() bool {
			require.NoFileExists(t, taken)
			return strings.Contains(p.Howdah("mrcluster", "status").Out+p.Log(), text)
		})
		p.Must("mrcluster", "remove", "--discard", name)
		p.Eventually("it to be forgotten", func() bool {
			s, ok := p.Status()
			return ok && len(s.Clusters) == 0 && p.Free() == 1
		})
	}

	create("a", "--load", "file:"+dir+"/secret=file:"+alice.Home+"/taken")
	failed("a", "permission denied", alice.Home+"/taken")
	require.NoFileExists(t, alice.Home+"/taken")

	evil := dir + "/evil"
	require.NoError(t, os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+dir+"/ran\n"), 0o755))
	create("b", "--binary", evil)
	failed("b", "howdah.mrcluster.programs", dir+"/ran")
	require.NoFileExists(t, dir+"/ran")

	create("c", "--load", "file:"+alice.Home+"/in=file:"+alice.Home+"/out")
	p.Must("run", "--mrcluster", "c", "sleep", "-m", "1", "-r", "0", "-mt", "1")
	for name, f := range masterFiles(t, alice.Home+"/out") {
		require.Equal(t, [2]int{alice.UID, alice.GID}, [2]int(f[:2]), name)
	}
	p.Must("mrcluster", "remove", "c")
}

// A user with a token creates an MR-cluster, whose daemons run as root, and uses it. Another user
// can neither use nor remove it, not even through its JobTracker, and cannot read its files.
func TestMasterOwnersOfMRClusters(t *testing.T) {
	c := newMasterCluster(t)
	ann, bob := testuser.New(t, "hm-ann"), testuser.New(t, "hm-bob")
	addrs, err := freeport.Addrs(2)
	require.NoError(t, err)
	c.set = append(c.set, conf.Property{Name: "howdah.mrcluster.manager.address", Value: addrs[0]},
		conf.Property{Name: "howdah.mrcluster.manager.http.address", Value: addrs[1]})
	c.startJobTracker(testuser.Root) // the JobTracker issues the tokens
	c.daemon(testuser.Root, "fact=node-freed", "mrcluster", "manager", "-D", "howdah.mrcluster.nodes=1",
		"-D", "howdah.mrcluster.create.acl="+ann.Name)
	set := map[*testuser.User]string{}
	for _, u := range []*testuser.User{ann, bob} {
		out, code := c.run(testuser.Root, "token", "create", u.Name, "--days", "1")
		require.Zero(t, code, out)
		token := regexp.MustCompile(`howdah1\.\S+`).FindString(out)
		set[u] = "howdah.security.token.file=" + u.File(t, u.Home+"/token", token, 0o600)
	}
	ok := func(u *testuser.User, args ...string) string {
		t.Helper()
		out, code := c.run(u, append(args[:2:2], append([]string{"-D", set[u]}, args[2:]...)...)...)
		require.Zero(t, code, out)
		return out
	}
	refused := func(text string, u *testuser.User, args ...string) {
		t.Helper()
		out, code := c.run(u, append(args[:2:2], append([]string{"-D", set[u]}, args[2:]...)...)...)
		require.NotZero(t, code, out)
		require.Contains(t, out, text)
	}
	refused(bob.Name+" may not create MR-clusters", bob, "mrcluster", "create", "b")
	refused("mapreduce.jobtracker.system.dir=file:/root/x", ann, "mrcluster", "create", "a", "--set",
		"mapreduce.jobtracker.system.dir=file:/root/x")
	ok(ann, "mrcluster", "create", "a", "--set", "mapreduce.map.maxattempts=1")
	require.Regexp(t, `a +`+ann.Name+` +defined`, ok(bob, "mrcluster", "list"))

	ann.File(t, ann.Home+"/in", "a word\n", 0o600)
	ok(ann, "run", "wordcount", "--mrcluster", "a", "file:"+ann.Home+"/in", "file:"+ann.Home+"/out")
	for name, f := range masterFiles(t, ann.Home+"/out") {
		require.Equal(t, ann.UID, f[0], name)
	}
	at := regexp.MustCompile(`active .* (127\.0\.0\.1:\d+)`).FindStringSubmatch(ok(ann, "mrcluster", "list"))
	require.Len(t, at, 2)
	ok(ann, "job", "-list", "-jt", at[1])
	refused("may not use this daemon", bob, "job", "-list", "-jt", at[1])
	refused("belongs to user "+ann.Name, bob, "run", "wordcount", "--mrcluster", "a", "file:"+bob.Home, "file:/x")
	refused("belongs to user "+ann.Name, bob, "mrcluster", "remove", "a")

	sees := exec.Command("find", c.dir, "-type", "f", "-size", "+0", "!", "-path", c.program, "-readable")
	sees.SysProcAttr = c.command(bob, "version").SysProcAttr
	out, _ := sees.Output() // find fails at directories that bob cannot list
	for _, name := range strings.Fields(string(out)) {
		require.Contains(t, name, "/of-"+bob.Name+"/", "bob reads a file of others")
	}
	ok(ann, "mrcluster", "remove", "a")
}
