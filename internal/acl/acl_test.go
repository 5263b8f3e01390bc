package acl

import (
	"os/user"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestLists(t *testing.T) {
	root, err := user.Lookup("root")
	require.NoError(t, err)
	group, err := user.LookupGroupId(root.Gid)
	require.NoError(t, err)
	for text, want := range map[string]string{"*": "any one two root", " * ": "any one two root", "": "", " ": "",
		"one,\ttwo": "one two", "one,two staff": "one two", " any": "", "one , two": "one",
		" " + group.Name: "root", "one other," + group.Name: "one root", "*,one": "one"} {
		list := Parse(text)
		for _, name := range []string{"any", "one", "two", "root"} {
			require.Equal(t, strings.Contains(want, name), list.Has(name), "%q %s", text, name)
		}
	}
}

// TestRules checks each operation for each kind of user, with and without access control lists.
func TestRules(t *testing.T) {
	c := conf.New()
	c.Set("mapreduce.cluster.administrators", "chief", "test")
	r := conf.Reader{Conf: c}
	off := FromConf(&r)
	require.NoError(t, r.Err)
	off.Queues = map[string]Queue{"prod": {Submit: Parse("ann"), Administer: Parse("boss")}, "dev": {Submit: Everybody}}
	on := *off
	on.Enabled = true
	j := &Job{ID: "job_1", Owner: "ann", Queue: "prod", View: "viewer", Modify: "changer"}
	open := &Job{ID: "job_2", Owner: "ann", Queue: "dev", View: "*", Modify: "*"}
	for name, x := range map[string]struct{ seeOff, changeOff, see, change, submit bool }{
		"":        {true, true, true, true, true},
		off.Me:    {true, true, true, true, true},
		"chief":   {true, true, true, true, true},
		"ann":     {true, true, true, true, true},
		"boss":    {true, false, true, true, false},
		"viewer":  {true, false, true, false, false},
		"changer": {true, false, false, true, false},
		"eve":     {true, false, false, false, false},
	} {
		check := func(want bool, err error) {
			t.Helper()
			require.Equal(t, want, err == nil, "%q: %v", name, err)
			require.True(t, want || failure.Is(err, failure.Permission))
		}
		for _, op := range []Operation{ViewDetails, ViewCounters, ViewLogs} {
			check(x.seeOff, off.Job(op, name, j))
			check(x.see, on.Job(op, name, j))
			check(true, on.Job(op, name, open))
		}
		for _, op := range []Operation{Kill, KillTask, FailTask, SetPriority, SetDeadline, Move} {
			check(x.changeOff, off.Job(op, name, j))
			check(x.changeOff, off.Job(op, name, open))
			check(x.change, on.Job(op, name, j))
			check(true, on.Job(op, name, open))
		}
		check(true, off.Submit(name, "prod"))
		check(x.submit, on.Submit(name, "prod"))
		check(true, on.Submit(name, "dev"))
		require.Equal(t, x.changeOff && name != "ann", off.MayAdminister(name, "prod"), name)
		require.Equal(t, x.change && name != "ann" && name != "changer", on.MayAdminister(name, "prod"), name)
	}
	require.ErrorContains(t, on.Job(Kill, "eve", j),
		"User eve cannot perform operation KILL_JOB on job_1 that is in the queue prod")
	require.ErrorContains(t, on.Submit("eve", "prod"), "User eve cannot perform operation SUBMIT_JOB on queue prod.\n "+
		"Please run \"hadoop queue -showacls\" command to find the queues you have access to .")
}
