package howdah

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// lines counts equal lines.
var lines = &mapreduce.Job{
	Name: "lines", Short: "counts lines",
	Mapper: mapreduce.MapFunc(func(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int32]) error {
		if line == "bad" {
			return errors.New("a bad line")
		}
		out.Emit(line, 1)
		return nil
	}),
	Reducer: mapreduce.Sum[int32](),
}

func main(t *testing.T, programs []mapreduce.Program, args ...string) (stdout, stderr string, err error) {
	var out, errOut strings.Builder
	args = append([]string{"-D", "mapreduce.cluster.local.dir=" + filepath.Join(t.TempDir(), "local")}, args...)
	err = Run(context.Background(), args, &out, &errOut, programs...)
	return out.String(), errOut.String(), err
}

func write(t *testing.T, text string) (in, out string) {
	dir := t.TempDir()
	in = filepath.Join(dir, "in")
	require.NoError(t, os.WriteFile(in, []byte(text), 0o644))
	return in, filepath.Join(dir, "out")
}

func TestAProgramRunsItsJob(t *testing.T) {
	in, out := write(t, "b\na\nb\n")
	_, log, err := main(t, []mapreduce.Program{lines}, "-Dmapreduce.job.reduces=1", in, out)
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(out, "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "a\t1\nb\t2\n", string(b))
	require.Contains(t, log, " map 100% reduce 100%\n")
	require.Contains(t, log, "completed successfully\nCounters: ")
	require.Contains(t, log, "\tMap-Reduce Framework\n\t\tMap input records=3\n")
}

func TestExitCodes(t *testing.T) {
	in, out := write(t, "bad\n")
	for name, x := range map[string]struct {
		args []string
		code int
	}{
		"the job fails":    {[]string{in, out}, 1},
		"no arguments":     {nil, 2},
		"no such input":    {[]string{in + "x", out}, 2},
		"bad option":       {[]string{"-D", "novalue", in, out}, 2},
		"bad setting":      {[]string{"-D", "mapreduce.job.reduces=-5", in, out}, 3},
		"output is there":  {[]string{in, filepath.Dir(out)}, 4},
		"nobody listens":   {[]string{"-jt", "127.0.0.1:1", in, out}, 5},
		"no configuration": {[]string{"--config", in + "x", in, out}, 3},
	} {
		_, _, err := main(t, []mapreduce.Program{lines}, x.args...)
		require.Equal(t, x.code, failure.KindOf(err).ExitCode(), "%s: %v", name, err)
		require.NoFileExists(t, out, name)
	}
}

func TestTheErrorNamesWhatTheUserSaid(t *testing.T) {
	in, out := write(t, "bad\n")
	_, log, err := main(t, []mapreduce.Program{lines}, in, out)
	require.ErrorContains(t, err, "a bad line")
	require.Contains(t, log, "failed with state FAILED due to: ")
	require.True(t, runner.Told(err), "it is printed once")
	_, _, err = main(t, []mapreduce.Program{lines}, in+"x", out)
	require.False(t, runner.Told(err))
}

func TestHelp(t *testing.T) {
	other := &mapreduce.App{Name: "other", Short: "has a driver", Run: func(_ context.Context, r mapreduce.Runner,
		args []string) error {
		_, err := r.Stdout().Write([]byte("other " + strings.Join(args, " ")))
		return err
	}}
	one, both := []mapreduce.Program{lines}, []mapreduce.Program{lines, other}
	for _, x := range []struct {
		programs []mapreduce.Program
		args     string
		want     string
	}{
		{one, "-h", " [generic options] <in>... <out>\nlines: counts lines\nGeneric options: "},
		{one, "-h", ", -files LIST, "},
		{one, "--help", "lines: counts lines"},
		{both, "lines -help", " [generic options] lines <in>... <out>\nlines: counts lines\n"},
		{both, "-h", " [generic options] PROGRAM ARGS...\nPrograms:\n  lines            counts lines\n"},
		{both, "other -h", "other -h"},
		{both[1:], "-h", "other -h"},
	} {
		out, _, err := main(t, x.programs, strings.Fields(x.args)...)
		require.NoError(t, err, x.args)
		require.Contains(t, out, x.want)
	}
}

func TestSeveralPrograms(t *testing.T) {
	other := &mapreduce.App{Name: "other", Short: "does something else", Run: func(_ context.Context, r mapreduce.Runner,
		args []string) error {
		_, err := r.Stdout().Write([]byte("other " + strings.Join(args, " ")))
		return err
	}}
	both := []mapreduce.Program{lines, other}
	out, _, err := main(t, both, "other", "a", "b")
	require.NoError(t, err)
	require.Equal(t, "other a b", out)
	_, _, err = main(t, both)
	require.Equal(t, failure.Usage, failure.KindOf(err))
	_, _, err = main(t, both, "thrid")
	require.ErrorContains(t, err, `unknown program "thrid"`)
	require.ErrorContains(t, err, "does something else")
	in, dir := write(t, "x\n")
	_, _, err = main(t, both, "-D", "mapreduce.job.reduces=3", "lines", "-Dmapreduce.job.reduces=2", in, dir)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "part-r-00001"))
	require.NoFileExists(t, filepath.Join(dir, "part-r-00002"))
	require.Same(t, lines, find(both, "lines"))
	require.Nil(t, find(both, "other"))
}
