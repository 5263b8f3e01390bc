//go:build integration

package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The same job writes byte-identical output in-process and on clusters of 1, 2, and 5 TaskTrackers.
func TestSameBytesEverywhere(t *testing.T) {
	in, want := text(t, 6, 2000)
	alone := filepath.Join(t.TempDir(), "out")
	ok(t, minicluster.Alone(t, "run", "-q", "wordcount", "-D", "mapreduce.job.reduces=3", in, alone))
	require.Equal(t, want, counts(t, alone))
	for _, n := range []int{1, 2, 5} {
		c := minicluster.Start(t, minicluster.Options{TaskTrackers: n})
		out := filepath.Join(t.TempDir(), "out")
		r := ok(t, c.Howdah("run", "wordcount", "-D", "mapreduce.job.reduces=3", in, out))
		require.Contains(t, r.Err, "map 100% reduce 100%")
		require.Contains(t, r.Err, "Map input records=12000")
		require.Equal(t, parts(t, alone), parts(t, out), "%d TaskTrackers", n)
		counts(t, out)
		c.Stop()
	}
}

func TestJobCommands(t *testing.T) {
	in, _ := text(t, 2, 10)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	out := filepath.Join(t.TempDir(), "out")
	ok(t, c.Howdah("run", "-q", "wordcount", in, out))

	var list []struct{ ID, State, Name string }
	require.NoError(t, json.Unmarshal([]byte(ok(t, c.Howdah("job", "-list", "all", "--json")).Out), &list))
	require.Len(t, list, 1)
	require.Equal(t, "SUCCEEDED", list[0].State)
	id := list[0].ID

	require.Contains(t, ok(t, c.Howdah("job", "-status", id)).Out, "map() completion: 1.0")
	require.Equal(t, "20\n", ok(t, c.Howdah("job", "-counter", id, "org.apache.hadoop.mapreduce.TaskCounter",
		"MAP_INPUT_RECORDS")).Out)
	require.Contains(t, ok(t, c.Howdah("job", "-events", id, "0", "10")).Out, "SUCCEEDED attempt_")
	require.Contains(t, ok(t, c.Howdah("job", "-history", "all", id)).Out, "Task Summary")
	require.Contains(t, ok(t, c.Howdah("job", "-history", out)).Out, "Hadoop job: "+id)
	require.Equal(t, 2, c.Howdah("job", "-history", in).Code)
	histories := filepath.Join(t.TempDir(), "histories")
	told := ok(t, c.Howdah("job", "-history", "-jhist", histories, out)).Out
	require.True(t, strings.HasPrefix(told, "file:"+filepath.Join(histories, id)+"-"), told)
	require.FileExists(t, strings.TrimSpace(strings.TrimPrefix(told, "file:")))
	require.FileExists(t, filepath.Join(histories, id+"_conf.xml"))
	require.Equal(t, 2, strings.Count(ok(t, c.Howdah("job", "-list-attempt-ids", id, "map", "completed")).Out, "_m_"))
	require.Equal(t, 2, strings.Count(ok(t, c.Howdah("job", "-list-active-trackers")).Out, "tracker_"))
	require.Contains(t, ok(t, c.Howdah("job", "-logs", id)).Out, "syslog:")
	require.Contains(t, ok(t, c.Howdah("queue", "-list")).Out, "Queue Name : default")
	require.Contains(t, ok(t, c.Howdah("doctor")).Out, "2 with 4 map and 4 reduce slots")
	require.Contains(t, ok(t, c.Howdah("doctor", id)).Out, "SUCCEEDED")
	require.Equal(t, 2, c.Howdah("job", "-status", "job_209901010000_0001").Code)
	// Killing a finished job has no effect.
	c.Howdah("job", "-kill", id)
	require.Contains(t, ok(t, c.Howdah("job", "-status", id)).Out, "Job state: SUCCEEDED")
}

func TestExitCodes(t *testing.T) {
	in, _ := text(t, 1, 10)
	c := minicluster.Start(t, minicluster.Options{})
	tmp := t.TempDir()
	ok(t, c.Howdah("run", "-q", "wordcount", in, tmp+"/out"))
	for _, x := range []struct {
		code int
		say  string
		args []string
	}{
		{4, "already exists", []string{"wordcount", in, tmp + "/out"}},
		{2, "does not exist", []string{"wordcount", tmp + "/nope", tmp + "/out2"}},
		{2, "matches 0 files", []string{"wordcount", tmp + "/no*pe", tmp + "/out2"}},
		{2, "wordcount", []string{"wordcount"}},
		{2, "did you mean", []string{"wordcuont", in, tmp + "/out2"}},
		{3, "mapreduce.job.reduces", []string{"wordcount", "-D", "mapreduce.job.reduces=-1", in, tmp + "/out2"}},
		{5, "127.0.0.1:1", []string{"wordcount", "-jt", "127.0.0.1:1", in, tmp + "/out2"}},
	} {
		r := c.Howdah(append([]string{"run"}, x.args...)...)
		require.Equal(t, x.code, r.Code, "%v: %s", x.args, r.Err)
		require.Contains(t, r.Err, x.say)
		require.NoDirExists(t, tmp+"/out2", "%v", x.args)
	}
}

// The client ships a user's own program to the TaskTrackers, whether howdah runs the program or the
// user does. The client accepts settings that only the program knows.
func TestUsersProgram(t *testing.T) {
	in, want := text(t, 3, 50)
	bin := slowcount(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	out := filepath.Join(t.TempDir(), "out")
	require.Contains(t, ok(t, c.Howdah("run", bin, in, out)).Err, "map 100% reduce 100%")
	require.Equal(t, want, counts(t, out))
	require.Empty(t, ok(t, c.Howdah("run", "-q", bin, in, out+"quiet")).Err)
	require.Contains(t, ok(t, c.Howdah("run", "--json", bin, in, out+"json")).Out, `"state": "SUCCEEDED"`)

	out = filepath.Join(t.TempDir(), "out")
	ok(t, c.Command(bin, "-D", "mapreduce.job.reduces=2", in, out))
	require.Equal(t, want, counts(t, out))

	r := c.Command(bin, "-D", "slowcount.map.millis=x", "-D", "mapreduce.map.maxattempts=1", in, out+"2")
	require.Zero(t, r.Code, "only the program checks a key that only it knows")
}

// After Ctrl-C the job continues, and the client says so. With --kill-on-interrupt the client kills
// the job.
func TestInterrupt(t *testing.T) {
	in, want := text(t, 2, 30)
	bin, dir := trouble(t), t.TempDir()
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1})
	running := func(n string) func() bool {
		return func() bool { return strings.HasPrefix(c.Howdah("job", "-list").Out, n) }
	}
	out := filepath.Join(t.TempDir(), "out")
	// The job waits for the test, so that it cannot end before the test interrupts its client.
	wait, cmd := c.BackgroundCommand(bin,
		append(defines([]string{"trouble.map=wait", "trouble.at=record", "trouble.gate=" + filepath.Join(dir, "gate")}),
			in, out)...)
	minicluster.Eventually(t, time.Minute, "the job to run", running("1 "))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	r := wait()
	require.Equal(t, 6, r.Code, r.Err)
	require.Contains(t, r.Err, "the job continues")
	open(t, dir, "gate")
	minicluster.Eventually(t, time.Minute, "the job to finish without its client", running("0 "))
	require.Equal(t, want, counts(t, out))

	wait, cmd = c.Background("run", "--kill-on-interrupt", "sleep", "-m", "1", "-r", "1", "-mt", "60000", "-rt", "1")
	minicluster.Eventually(t, time.Minute, "the job to run", running("1 "))
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	r = wait()
	require.Equal(t, 6, r.Code, r.Err)
	minicluster.Eventually(t, time.Minute, "the job to be killed", running("0 "))
}
