//go:build integration

package hdfs

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/integration/minicluster"
)

var (
	runs  = flag.Int("runs", 3, "runs of the job with damaged input")
	rows  = flag.Int("rows", 200_000, "rows of 100 bytes that TeraSort sorts while DataNodes die")
	seed  = flag.Uint64("seed", 1, "random seed")
	words = strings.Fields("nothing that was written is lost and nothing that is read is wrong " +
		"whatever the disks do to it")
)

// text generates random words and counts them.
func text(r *rand.Rand, size int) (string, string) {
	var b strings.Builder
	count := map[string]int{}
	for b.Len() < size {
		w := words[r.IntN(len(words))]
		count[w]++
		b.WriteString(w)
		b.WriteByte(" \n"[r.IntN(20)/19])
	}
	var lines []string
	for w, n := range count {
		lines = append(lines, fmt.Sprintf("%s\t%d\n", w, n))
	}
	sort.Strings(lines)
	return b.String(), strings.Join(lines, "")
}

func put(t *testing.T, fs dfs.FileSystem, name, content string, block int64) {
	t.Helper()
	w, err := fs.Create(t.Context(), name, dfs.CreateOptions{BlockSize: block, Overwrite: true})
	require.NoError(t, err)
	_, err = io.WriteString(w, content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func get(t *testing.T, fs dfs.FileSystem, name string) string {
	t.Helper()
	f, err := fs.Open(t.Context(), name)
	require.NoError(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(b)
}

// A job writes the correct result even though two of three replicas of its input are damaged. At
// least a third of the jobs meet a damaged replica and report it.
func TestJobOverDamage(t *testing.T) {
	c := cluster(t)
	fs, dir := open(t, c)
	met := 0
	for i := range *runs {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		in, want := text(r, 6<<20)
		base := fmt.Sprintf("%s/%d", dir, i)
		put(t, fs, base+"/in", in, 2<<20)
		awaitReplicas(t, fs, base+"/in")
		good := fmt.Sprintf("datanode%d", 1+r.IntN(3))
		for _, n := range []string{"datanode1", "datanode2", "datanode3"} {
			if n != good {
				damage(t, c, n)
			}
		}
		res := minicluster.Alone(t, "run", "wordcount", "-conf", c.ConfDir()+"/core-site.xml",
			"-conf", c.ConfDir()+"/hdfs-site.xml",
			"-D", "mapreduce.job.reduces=1", base+"/in", base+"/out")
		require.Zero(t, res.Code, "run %d of seed %d: %s", i, *seed, res.Err)
		require.Equal(t, want, get(t, fs, base+"/out/part-r-00000"), "run %d of seed %d", i, *seed)
		if n := strings.Count(res.Err, " is damaged: "); n > 0 {
			met++
		}
		require.NoError(t, fs.Delete(t.Context(), dir, true))
		require.NoError(t, fs.Mkdir(t.Context(), dir))
	}
	t.Logf("%d runs, %d met a damaged replica first", *runs, met)
	require.GreaterOrEqual(t, met*3, *runs)
}

// awaitReplicas waits until the NameNode lists three replicas of every block of a file.
func awaitReplicas(t *testing.T, fs dfs.FileSystem, name string) {
	t.Helper()
	minicluster.Eventually(t, time.Minute, "all replicas", func() bool {
		blocks, err := fs.Locations(t.Context(), name, 0, math.MaxInt64)
		require.NoError(t, err)
		return !slices.ContainsFunc(blocks, func(b dfs.Block) bool { return len(b.Hosts) < 3 })
	})
}

// progress is a writer that calls strike for each progress line of a job's client.
type progress struct {
	strike func(maps, reduces int)
	all    strings.Builder
}

var progressLine = regexp.MustCompile(`map (\d+)% reduce (\d+)%`)

func (p *progress) Write(b []byte) (int, error) {
	p.all.Write(b)
	for _, m := range progressLine.FindAllStringSubmatch(string(b), -1) {
		maps, _ := strconv.Atoi(m[1])
		reduces, _ := strconv.Atoi(m[2])
		p.strike(maps, reduces)
	}
	return len(b), nil
}

// A TeraSort from and to HDFS survives three failures. One DataNode dies in the map phase. Another
// DataNode and the NameNode die in the reduce phase; the NameNode restarts after 20 seconds. The
// staging and system directories are also on HDFS.
func TestTeraSortWhilePartsDie(t *testing.T) {
	c := cluster(t)
	fs, dir := open(t, c)
	m := minicluster.Start(t, minicluster.Options{TaskTrackers: 2,
		Set: []string{"fs.defaultFS=" + c.URI(), "dfs.replication=3",
			"dfs.blocksize=8m", "dfs.client.socket-timeout=10000", "mapreduce.job.reduces=3",
			"mapreduce.job.reduce.slowstart.completedmaps=1",
			"mapreduce.jobtracker.staging.root.dir=/howdah/staging", "mapreduce.jobtracker.system.dir=/howdah/system"}})
	howdah := func(args ...string) {
		t.Helper()
		res := m.Howdah(args...)
		require.Zero(t, res.Code, "%v: %s", args, res.Err)
	}
	howdah("run", "teragen", fmt.Sprint(*rows), dir+"/in")
	howdah("run", "teravalidate", dir+"/in", dir+"/sum-in")

	var once [2]sync.Once
	var struck sync.WaitGroup
	p := &progress{strike: func(maps, reduces int) {
		if maps > 0 && reduces == 0 {
			once[0].Do(func() { require.NoError(t, c.Kill("datanode1")) })
		}
		if reduces > 0 {
			once[1].Do(func() {
				t.Logf("datanode2 and namenode die at map %d%% reduce %d%%", maps, reduces)
				require.NoError(t, c.Kill("datanode2"))
				require.NoError(t, c.Kill("namenode"))
				struck.Go(func() {
					time.Sleep(20 * time.Second)
					require.NoError(t, c.Restart(t.Context(), "namenode"))
				})
			})
		}
	}}
	cmd := exec.Command(minicluster.Binary(t), "run", "terasort", dir+"/in", dir+"/out")
	cmd.Env = append(os.Environ(), "HOWDAH_CONF_DIR="+m.Conf)
	cmd.Stderr = p
	began := time.Now()
	err := cmd.Run()
	struck.Wait()
	require.NoError(t, err, p.all.String())
	t.Logf("terasort of %d rows: %v\n%s", *rows, time.Since(began), p.all.String())
	whole(t, c, func() error {
		return errors.Join(c.Restart(t.Context(), "datanode1"), c.Restart(t.Context(), "datanode2"))
	})
	howdah("run", "teravalidate", dir+"/out", dir+"/sum-out")
	require.Equal(t, checksumLine(get(t, fs, dir+"/sum-in/part-r-00000")),
		checksumLine(get(t, fs, dir+"/sum-out/part-r-00000")))
	require.Equal(t, 1, strings.Count(get(t, fs, dir+"/sum-out/part-r-00000"), "\n"),
		"nothing but the checksum: the order is right")
}

// checksumLine returns TeraValidate's checksum of the rows, which is independent of their order.
func checksumLine(report string) string {
	for _, l := range strings.Split(report, "\n") {
		if strings.HasPrefix(l, "checksum") {
			return l
		}
	}
	return ""
}
