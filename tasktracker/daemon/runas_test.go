package daemon

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
)

func needsRoot(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root on Linux can run tasks as other users")
	}
}

func TestWhoseJobsRun(t *testing.T) {
	none := UserConfig{MinID: 1000, Banned: []string{"nobody"}}
	everybody, alone := UserConfig{Tracker: true}, none
	alone.OnlyRoot = true
	const stranger = "no-such-user-here"
	refused := func(u UserConfig, user, why string) {
		t.Helper()
		a, err := u.accountOf(user)
		require.ErrorAs(t, err, new(refusal))
		require.Nil(t, a)
		require.ErrorContains(t, err, why)
	}
	accepted := func(u UserConfig, user string) {
		t.Helper()
		a, err := u.accountOf(user)
		require.NoError(t, err)
		require.Nil(t, a)
	}
	accepted(everybody, stranger)
	accepted(everybody, "root")
	if os.Geteuid() != 0 {
		accepted(none, passwd.Me())
		refused(none, stranger, "cannot change to another user")
		refused(alone, "root", "cannot change to another user")
		return
	}
	needsRoot(t)
	accepted(alone, "root")
	refused(none, "root", "no job runs as root")
	refused(alone, stranger, "no account for the user")
	refused(alone, "--help", "no account for the user")
	refused(alone, "bin", "smaller than min.user.id")
	refused(alone, "nobody", "banned.users")
	alone.MinID, alone.Banned = 1, nil
	a, err := alone.accountOf("bin")
	require.NoError(t, err)
	require.Equal(t, "bin", a.Name)
	require.Contains(t, a.Groups, uint32(a.GID))
}

func TestRunAsOfConfiguration(t *testing.T) {
	c := conf.New()
	cfg, err := FromConf(c)
	require.NoError(t, err)
	require.Equal(t, UserConfig{OnlyRoot: true, MinID: 1000, Banned: []string{"yarn", "mapred", "hdfs", "bin"}}, cfg.Users)
	require.EqualValues(t, 1024, cfg.Processes)
	require.Contains(t, cfg.Env, "PATH")
	c.Set(conf.TaskTrackerRunAs.Name, "tracker", "test")
	c.Set("howdah.tasktracker.task.processes", "0", "test")
	c.Set("howdah.tasktracker.env-whitelist", "A,B", "test")
	cfg, err = FromConf(c)
	require.NoError(t, err)
	require.True(t, cfg.Users.Tracker)
	require.Zero(t, cfg.Processes)
	require.Equal(t, []string{"A", "B"}, cfg.Env)
	c.Set(conf.TaskTrackerRunAs.Name, "somebody", "test")
	_, err = FromConf(c)
	require.ErrorContains(t, err, conf.TaskTrackerRunAs.Name)
}

func TestChildrenGetFewVariables(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("HOWDAH_ANYTHING", "ours")
	t.Setenv("HOME", "/home/somebody")
	t.Setenv(envChild, "0")
	env := childEnv([]string{"LANG"})
	require.Subset(t, env, []string{"LANG=C.UTF-8", "HOWDAH_ANYTHING=ours", "HOME=/home/somebody", envChild + "=1"})
	require.NotContains(t, env, envChild+"=0")
	require.NotContains(t, strings.Join(env, " "), "secret")
	require.NotContains(t, strings.Join(env, " "), "PATH=")
}
