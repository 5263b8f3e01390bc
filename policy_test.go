package howdah

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
)

func TestPoliciesOfAProgram(t *testing.T) {
	mine := WithPolicy("mine", fifo.New)
	for _, x := range []struct {
		programs []mapreduce.Program
		args     []string
		serves   bool
	}{
		{[]mapreduce.Program{mine}, nil, false},
		{[]mapreduce.Program{mine}, []string{"jobtracker"}, true},
		{[]mapreduce.Program{mine, lines}, []string{"jobtracker"}, true},
		{[]mapreduce.Program{mine, lines}, []string{"in", "out"}, false},
		{[]mapreduce.Program{lines}, []string{"jobtracker", "out"}, false},
	} {
		policies, _ := policiesOf(x.programs)
		rest, ok := wantsJobTracker(policies, x.args)
		require.Equal(t, x.serves, ok, x.args)
		if ok {
			require.Empty(t, rest)
		} else {
			require.Equal(t, x.args, rest)
		}
	}
}

func TestBadCallsOfAJobTracker(t *testing.T) {
	mine := []mapreduce.Program{WithPolicy("mine", fifo.New)}
	for want, args := range map[string][]string{
		"unexpected argument": {"jobtracker", "now"},
		"not defined":         {"jobtracker", "--speed"},
		"no such scheduler":   {"jobtracker", "--scheduler", "yours"},
		"no such file":        {"jobtracker", "--replay-inputs", "/none"},
	} {
		_, _, err := main(t, mine, append([]string{"-D", "hadoop.tmp.dir=" + t.TempDir(), "-D", "mapreduce.jobtracker.address=127.0.0.1:0"}, args...)...)
		require.ErrorContains(t, err, want)
	}
	_, _, err := main(t, []mapreduce.Program{WithPolicy("FIFO", fifo.New)}, "jobtracker")
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "the name is taken")
}

// A program that is tried without arguments tells what it is; it does not start to serve.
func TestAProgramOfPoliciesExplainsItself(t *testing.T) {
	both := []mapreduce.Program{WithPolicy("mine", fifo.New), WithPolicy("yours", fifo.New)}
	usage := func(text string) {
		require.Contains(t, text, "a JobTracker that knows the scheduler mine, yours beside")
		require.Contains(t, text, " jobtracker [--scheduler NAME]")
	}
	for _, args := range [][]string{nil, {"in", "out"}, {"--scheduler", "mine"}} {
		_, _, err := main(t, both, args...)
		require.True(t, failure.Is(err, failure.Usage), "%v: %v", args, err)
		usage(err.Error())
	}
	out, _, err := main(t, both, "--help")
	require.NoError(t, err)
	usage(out)
}

func TestTheProgramsPolicyIsTheFirstChoice(t *testing.T) {
	c := conf.New()
	choosePolicy(c, "", "mine")
	require.Equal(t, "mine", c.Get(catalog.Key))
	c = conf.New()
	c.Set(catalog.Key, "fair", "mapred-site.xml")
	choosePolicy(c, "", "mine")
	require.Equal(t, "fair", c.Get(catalog.Key))
	choosePolicy(c, "fifo", "mine")
	require.Equal(t, "fifo", c.Get(catalog.Key))
}
