package managermain

import (
	"bufio"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
)

// arguments returns those of a manager without nodes.
func arguments(t *testing.T, weights string) []string {
	t.Setenv("HOWDAH_CONF_DIR", "")
	t.Setenv("HADOOP_CONF_DIR", "")
	dir := t.TempDir()
	return []string{"-D", "hadoop.tmp.dir=" + dir, "mrcluster", "manager", "-D", "howdah.mrcluster.weights=" + weights,
		"-D", "howdah.mrcluster.manager.dir=" + dir + "/manager", "-D", "howdah.mrcluster.manager.address=127.0.0.1:0", "-D",
		"howdah.mrcluster.manager.http.address=127.0.0.1:0", "-D", "howdah.gossip.address=127.0.0.1:0"}
}

func entry(name string, made *bool) weight.Entry {
	return weight.Entry{Name: name, New: func(*conf.Config) (mrcluster.Weighting, error) {
		*made = true
		return weight.EQ{}, nil
	}}
}

// TestOwnWeights starts a manager with a policy of the program.
func TestOwnWeights(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	done, made := make(chan error, 1), false
	args := arguments(t, "mine")
	go func() {
		err := Run(ctx, args, in, io.Discard, entry("Mine", &made))
		in.CloseWithError(io.EOF)
		done <- err
	}()
	line, _ := bufio.NewReader(out).ReadString('\n')
	stop()
	require.NoError(t, <-done)
	require.Contains(t, line, "manager ready")
	require.True(t, made)
}

func TestBadArguments(t *testing.T) {
	made := false
	for want, x := range map[string]struct {
		kind failure.Kind
		args []string
	}{
		"want one of JD":                    {failure.Config, arguments(t, "other")},
		"the name is taken":                 {failure.Config, arguments(t, "TD")},
		"want the command":                  {failure.Usage, []string{"jobtracker"}},
		"unexpected argument":               {failure.Usage, []string{"mrcluster", "manager", "now"}},
		"flag provided but not defined: -x": {failure.Usage, []string{"mrcluster", "manager", "--x"}},
	} {
		name := "mine"
		if want == "the name is taken" {
			name = "td"
		}
		err := Run(t.Context(), x.args, io.Discard, io.Discard, entry(name, &made))
		require.ErrorContains(t, err, want)
		require.Equal(t, x.kind, failure.KindOf(err))
	}
	require.False(t, made)
}
