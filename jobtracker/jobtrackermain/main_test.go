package jobtrackermain

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
)

var mine = catalog.Entry{Name: "mine", New: fifo.New}

func run(policies Policies, args ...string) (stdout string, err error) {
	var out strings.Builder
	err = Run(context.Background(), args, &out, &strings.Builder{}, policies)
	return out.String(), err
}

// Only the jobtracker command starts a JobTracker. All other arguments go to the programs.
func TestPoliciesOfAProgram(t *testing.T) {
	require.True(t, wantsJobTracker([]string{"jobtracker"}))
	require.False(t, wantsJobTracker(nil))
	require.False(t, wantsJobTracker([]string{"in", "jobtracker"}))

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("a\n"), 0o600))
	identity := &mapreduce.Job{Name: "identity"}
	args := []string{"-D", "mapreduce.cluster.local.dir=" + filepath.Join(dir, "local"), filepath.Join(dir, "in"),
		filepath.Join(dir, "out")}
	err := Run(context.Background(), args, &strings.Builder{}, &strings.Builder{}, Policies{mine}, identity)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "out", "_SUCCESS"))
	err = Run(context.Background(), []string{"jobtracker", "now"}, &strings.Builder{}, &strings.Builder{},
		Policies{mine}, identity)
	require.ErrorContains(t, err, "unexpected argument")
}

func TestBadCallsOfAJobTracker(t *testing.T) {
	for want, args := range map[string][]string{
		"unexpected argument": {"jobtracker", "now"},
		"not defined":         {"jobtracker", "--speed"},
		"-D is a generic option; write generic options directly after jobtracker": {
			"jobtracker", "--scheduler", "mine", "-D", "a=b"},
		"no such scheduler": {"jobtracker", "--scheduler", "yours"},
		"no such file":      {"jobtracker", "--replay-inputs", "/none"},
	} {
		options := []string{"-D", "hadoop.tmp.dir=" + t.TempDir(), "-D", "mapreduce.jobtracker.address=127.0.0.1:0"}
		_, err := run(Policies{mine}, append(options, args...)...)
		require.ErrorContains(t, err, want)
	}
	_, err := run(Policies{{Name: "FIFO", New: fifo.New}}, "jobtracker")
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "the name is taken")
}

// Without the jobtracker command, a program that contains only policies reports its usage and does
// not serve.
func TestAProgramOfPoliciesExplainsItself(t *testing.T) {
	both := Policies{mine, {Name: "yours", New: fifo.New}}
	usage := func(text string) {
		require.Contains(t, text, "a JobTracker with howdah's schedulers and mine, yours")
		require.Contains(t, text, " jobtracker [generic options] [--scheduler NAME]")
	}
	for _, args := range [][]string{nil, {"in", "out"}, {"--scheduler", "mine"}} {
		_, err := run(both, args...)
		require.True(t, failure.Is(err, failure.Usage), "%v: %v", args, err)
		usage(err.Error())
	}
	for _, args := range [][]string{{"--help"}, {"jobtracker", "--help"}, {"jobtracker", "-h"}} {
		out, err := run(both, args...)
		require.NoError(t, err, args)
		usage(out)
	}
}

func TestTheProgramsPolicyIsTheFirstChoice(t *testing.T) {
	c := conf.New()
	choosePolicy(c, "", "mine")
	require.Equal(t, "mine", c.Get(conf.JobTrackerTaskScheduler.Name))
	c = conf.New()
	c.Set(conf.JobTrackerTaskScheduler.Name, "fair", "mapred-site.xml")
	choosePolicy(c, "", "mine")
	require.Equal(t, "fair", c.Get(conf.JobTrackerTaskScheduler.Name))
	choosePolicy(c, "fifo", "mine")
	require.Equal(t, "fifo", c.Get(conf.JobTrackerTaskScheduler.Name))
}
