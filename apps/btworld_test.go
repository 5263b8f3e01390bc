package apps_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/apps/btworld"
	"github.com/howdah/howdah/conf"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

const btTime = "20060102T150405"

// btScrape is a scrape as the reference implementation reads it.
type btScrape struct {
	hash, tracker, moment        string
	seeders, leechers, downloads int64
}

func (s btScrape) sessions() int64 { return s.seeders + s.leechers }

// btScrapes parses lines in the simplest way and skips lines that are not scrapes.
func btScrapes(t *testing.T, text string, group time.Duration) (out []btScrape) {
	t.Helper()
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 6 {
			continue
		}
		at, err := time.Parse(btTime, f[2])
		if err != nil {
			continue
		}
		// Truncate counts from the year 1, and moments count from 1970. The results are equal if
		// group divides a day.
		s := btScrape{hash: f[0], tracker: f[1], moment: at.Truncate(group).Format(btTime)}
		for i, n := range []*int64{&s.seeders, &s.leechers, &s.downloads} {
			*n, err = strconv.ParseInt(f[3+i], 10, 64)
			require.NoError(t, err)
		}
		out = append(out, s)
	}
	return out
}

// tab joins columns with tabs.
func tab(columns ...any) string {
	text := make([]string, len(columns))
	for i, c := range columns {
		text[i] = fmt.Sprint(c)
	}
	return strings.Join(text, "\t")
}

// btOracle answers all queries with Go maps and returns their sorted lines.
func btOracle(all []btScrape, top int) map[string][]string {
	out := map[string][]string{}
	type tm struct{ tracker, moment string }
	type sum struct{ n, seeders, leechers, downloads int64 }
	trackers := map[tm]sum{}
	swarmSessions, swarmScrapes := map[btScrape]int64{}, map[btScrape]int64{} // by hash, tracker, moment
	inhabited, hashes := map[btScrape]bool{}, map[btScrape]bool{}
	hashSessions := map[btScrape]int64{} // by hash, moment
	for _, s := range all {
		k := tm{s.tracker, s.moment}
		x := trackers[k]
		trackers[k] = sum{x.n + 1, x.seeders + s.seeders, x.leechers + s.leechers, x.downloads + s.downloads}
		swarm, hash := btScrape{hash: s.hash, tracker: s.tracker, moment: s.moment}, btScrape{hash: s.hash, moment: s.moment}
		swarmScrapes[swarm]++
		swarmSessions[swarm] += s.sessions()
		hashSessions[hash] += s.sessions()
		hashes[hash] = true
		if s.sessions() > 0 {
			inhabited[swarm] = true
		}
	}
	count := func(query string, moments []string) {
		n := map[string]int{}
		for _, m := range moments {
			n[m]++
		}
		for m, c := range n {
			out[query] = append(out[query], tab(m, c))
		}
	}
	var moments []string
	for k, x := range trackers {
		mean := big.NewRat(x.seeders+x.leechers, x.n).FloatString(2)
		out["TrackerOverTime"] = append(out["TrackerOverTime"], tab(k.tracker, k.moment, x.n, x.seeders, x.leechers,
			x.downloads, mean))
		moments = append(moments, k.moment)
	}
	count("ActiveTrackers", moments)
	for k, n := range swarmScrapes {
		out["SwarmOverTime"] = append(out["SwarmOverTime"], tab(k.hash, k.tracker, k.moment, n, swarmSessions[k]))
	}
	momentsOf := func(set map[btScrape]bool) (m []string) {
		for k := range set {
			m = append(m, k.moment)
		}
		return m
	}
	count("ActiveSwarms", momentsOf(inhabited))
	count("ActiveHashes", momentsOf(hashes))

	type entry struct {
		name     string
		sessions int64
	}
	ranked := func(entries []entry) []entry {
		slices.SortFunc(entries, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.sessions, a.sessions), cmp.Compare(a.name, b.name))
		})
		return entries[:min(top, len(entries))]
	}
	rank := func(query string, byMoment map[string][]entry) (global []entry) {
		best := map[string]int64{}
		for m, entries := range byMoment {
			for i, e := range ranked(entries) {
				out[query+"Local"] = append(out[query+"Local"], tab(m, i+1, e.sessions, e.name))
				best[e.name] = max(best[e.name], e.sessions)
			}
		}
		for name, n := range best {
			global = append(global, entry{name, n})
		}
		global = ranked(global)
		for i, e := range global {
			out[query+"Global"] = append(out[query+"Global"], tab(i+1, e.sessions, e.name))
		}
		return global
	}
	byMoment := map[string][]entry{}
	for k, x := range trackers {
		byMoment[k.moment] = append(byMoment[k.moment], entry{k.tracker, x.seeders + x.leechers})
	}
	best := rank("TopKTrackers", byMoment)
	byMoment = map[string][]entry{}
	for k, n := range swarmSessions {
		byMoment[k.moment] = append(byMoment[k.moment], entry{tab(k.hash, k.tracker), n})
	}
	rank("TopKSwarms", byMoment)
	byMoment = map[string][]entry{}
	for k, n := range hashSessions {
		byMoment[k.moment] = append(byMoment[k.moment], entry{k.hash, n})
	}
	rank("TopKHashes", byMoment)

	life := map[btScrape][2]string{} // by hash, tracker
	for _, s := range all {
		if !slices.ContainsFunc(best, func(e entry) bool { return e.name == s.tracker }) {
			continue
		}
		k := btScrape{hash: s.hash, tracker: s.tracker}
		x, ok := life[k]
		if !ok {
			x = [2]string{s.moment, s.moment}
		}
		life[k] = [2]string{min(x[0], s.moment), max(x[1], s.moment)}
	}
	var births, deaths []string
	for k, x := range life {
		out["JoinTopKTrackers"] = append(out["JoinTopKTrackers"], tab(k.tracker, k.hash, x[0], x[1]))
		births, deaths = append(births, tab(k.tracker, x[0])), append(deaths, tab(k.tracker, x[1]))
	}
	count("NewbornSwarms", births)
	count("DeadSwarms", deaths)
	for _, lines := range out {
		slices.Sort(lines)
	}
	return out
}

// btQueries are the output directories of the workflow.
var btQueries = []string{"TrackerOverTime", "ActiveTrackers", "SwarmOverTime", "ActiveSwarms", "ActiveHashes",
	"TopKTrackersLocal", "TopKTrackersGlobal", "TopKSwarmsLocal", "TopKSwarmsGlobal", "TopKHashesLocal",
	"TopKHashesGlobal", "JoinTopKTrackers", "NewbornSwarms", "DeadSwarms"}

// chance returns the random source of a test and logs its seed, so that a failure can be
// reproduced.
func chance(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("HOWDAH_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("again: HOWDAH_SEED=%d go test -count=1 -run '^%s$' ./apps", seed, t.Name())
	return rand.New(rand.NewPCG(seed, 1))
}

// generatedScrapes generates a small world.
func generatedScrapes(t *testing.T, r *rand.Rand) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "scrapes")
	_, err := run(t, nil, "btworld-generate", "-scrapes", strconv.Itoa(1+r.IntN(800)), "-swarms",
		strconv.Itoa(1+r.IntN(150)), "-trackers", strconv.Itoa(1+r.IntN(9)),
		"-skew", strconv.Itoa(r.IntN(4)), "-seed", strconv.Itoa(r.IntN(1000)), "-m", strconv.Itoa(1+r.IntN(4)), out)
	require.NoError(t, err)
	return parts(t, out)
}

// wildScrapes returns scrapes that the generator never makes. They include the same swarm many
// times in a moment, ties in every ranking, names with common prefixes, moments far apart, and
// damage.
func wildScrapes(r *rand.Rand) string {
	var b strings.Builder
	trackers := []string{"http://a/", "http://a/b", "http://a/b!", "http://é/", "udp://z:80", "x"}
	for range r.IntN(400) {
		at := time.Date(2009+r.IntN(2), time.Month(1+r.IntN(12)), 1+r.IntN(2), r.IntN(3), r.IntN(60), r.IntN(60), 0, time.UTC)
		sep := []string{"\t", " ", "  "}[r.IntN(3)]
		fmt.Fprint(&b, strings.Join([]string{"h" + strconv.Itoa(r.IntN(12)), trackers[r.IntN(len(trackers))],
			at.Format(btTime), strconv.Itoa(r.IntN(3)),
			strconv.Itoa(r.IntN(2)), strconv.Itoa(r.IntN(100))}, sep), "\n")
		if r.IntN(40) == 0 {
			fmt.Fprint(&b, []string{"\n", "damaged\n", "h1 x 20091301T000000 1 2 3\n", "h1 x 20091201T000000 1 2\n",
				"\xff\n"}[r.IntN(5)])
		}
	}
	return b.String()
}

// TestBTWorldAgainstMaps compares every query with btOracle. It varies the splits, the buffers, and
// the numbers of reducers and concurrent jobs, and omits the combiners in some runs, chosen at random.
func TestBTWorldAgainstMaps(t *testing.T) {
	r := chance(t)
	for i := range 4 {
		text := wildScrapes(r)
		if i%2 == 0 {
			text = generatedScrapes(t, r)
		}
		group, top := []time.Duration{time.Hour, 24 * time.Hour, time.Minute}[r.IntN(3)], 1+r.IntN(6)
		want := btOracle(btScrapes(t, text, group), top)
		file := write(t, text)
		for _, s := range []settings{nil,
			{"mapreduce.job.reduces": "3", "mapreduce.input.fileinputformat.split.maxsize": "9000",
				"mapreduce.task.io.sort.mb":     "1",
				"mapreduce.task.io.sort.factor": "2", "mapreduce.output.textoutputformat.separator": "|",
				"mapreduce.job.inputformat.class":            "KeyValueTextInputFormat",
				"mapreduce.partition.keypartitioner.options": "-k2,2", "mapreduce.map.output.key.field.separator": "h"}} {
			out := filepath.Join(t.TempDir(), "out")
			flags := []string{"-group", strconv.Itoa(int(group.Seconds())), "-top", strconv.Itoa(top), "-parallel",
				strconv.Itoa(r.IntN(4))}
			app, runner := btworld.App(), btRunner(t, "")
			if r.IntN(2) == 0 {
				for _, j := range app.Jobs {
					j.Combiner = mapreduce.ReducerClass{}
				}
			}
			for k, v := range s {
				runner.conf.Set(k, v, "test")
			}
			require.NoError(t, app.Run(context.Background(), runner, append(flags, file, out)))
			for _, q := range btQueries {
				got := strings.Split(strings.TrimSuffix(parts(t, filepath.Join(out, q)), "\n"), "\n")
				slices.Sort(got)
				require.Equal(t, strings.Join(want[q], "\n"), strings.Join(got, "\n"), "%s, input %d, %v with %v", q, i, flags, s)
			}
			left, err := os.ReadDir(out)
			require.NoError(t, err)
			require.Len(t, left, len(btQueries), "%v", left)
		}
	}
}

// TestBTWorldSingleQueries compares the output of the two single-query applications with btOracle.
func TestBTWorldSingleQueries(t *testing.T) {
	text := generatedScrapes(t, chance(t))
	want := btOracle(btScrapes(t, text, time.Hour), 1)
	file := write(t, text)
	for app, query := range map[string]string{"btworld-tt": "TrackerOverTime", "btworld-ah": "ActiveHashes"} {
		for _, s := range []settings{nil, {"mapreduce.input.fileinputformat.split.maxsize": "7000",
			"mapreduce.map.output.compress": "true"}} {
			out := filepath.Join(t.TempDir(), "out")
			_, err := run(t, s, app, file, out)
			require.NoError(t, err)
			require.Equal(t, strings.Join(want[query], "\n")+"\n", parts(t, out), "one reducer: in order")
			left, err := os.ReadDir(filepath.Dir(out))
			require.NoError(t, err)
			require.Len(t, left, 1, "%v", left)
		}
	}
	// A tracker's history is in one file, in order of time.
	out := filepath.Join(t.TempDir(), "out")
	_, err := run(t, settings{"mapreduce.job.reduces": "4", "num.key.fields.for.partition": "2"}, "btworld-tt", file, out)
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(out, "part-*"))
	require.NoError(t, err)
	require.Len(t, names, 4)
	in := map[string]string{}
	for _, n := range names {
		text, err := os.ReadFile(n)
		require.NoError(t, err)
		require.True(t, slices.IsSorted(strings.Split(strings.TrimSpace(string(text)), "\n")))
		for line := range strings.Lines(string(text)) {
			tracker, _, _ := strings.Cut(line, "\t")
			require.Contains(t, []string{"", n}, in[tracker], tracker)
			in[tracker] = n
		}
	}
}

// TestBTWorldInMemory checks some results of the workflow in an in-memory file system. The report
// has a line for each query and counts the damaged lines.
func TestBTWorldInMemory(t *testing.T) {
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", "h t 20091201T000000 1 2 3\n\nbroken\nh t 20091201T003000 3 2 9\nh u "+
		"20091201T010000 0 0 0\n"))
	require.NoError(t, btworld.App().Run(context.Background(), r, []string{"-parallel", "1", "/in", "/out"}))
	for query, want := range map[string]string{
		"TrackerOverTime": "t\t20091201T000000\t2\t4\t4\t12\t4.00\nu\t20091201T010000\t1\t0\t0\t0\t0.00\n",
		"ActiveSwarms":    "20091201T000000\t1\n", "ActiveHashes": "20091201T000000\t1\n20091201T010000\t1\n",
		"JoinTopKTrackers": "t\th\t20091201T000000\t20091201T000000\nu\th\t20091201T010000\t20091201T010000\n",
	} {
		got, err := r.Output("/out/" + query)
		require.NoError(t, err)
		require.Equal(t, want, got, query)
	}
	require.Equal(t, len(btQueries)+2, strings.Count(r.Printed(), "\n"), r.Printed())
	require.Contains(t, r.Printed(), "3 scrapes; damaged lines skipped: 1\n")
}

func TestBTWorldOfNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	text, err := run(t, nil, "btworld", write(t, "\n\n"), out)
	require.NoError(t, err)
	require.Contains(t, text, "0 scrapes; damaged lines skipped: 0")
	for _, q := range btQueries {
		require.FileExists(t, filepath.Join(out, q, "_SUCCESS"))
		require.Empty(t, parts(t, filepath.Join(out, q)), q)
	}
}

// countingRunner records the jobs that end and the largest number of concurrent jobs. It returns an
// error for the job named fail.
type countingRunner struct {
	runner
	mu          sync.Mutex
	fail        string
	ended       []string
	now, atOnce int
}

func (r *countingRunner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	r.mu.Lock()
	r.now++
	r.atOnce = max(r.atOnce, r.now)
	r.mu.Unlock()
	res, err := r.runner.Run(ctx, j, c)
	if j.Name == r.fail {
		err = failure.New(failure.Failed, "run", j.Name, errors.New("as the test wants it"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now--
	r.ended = append(r.ended, j.Name)
	return res, err
}

func btRunner(t *testing.T, fail string) *countingRunner {
	t.Helper()
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", t.TempDir(), "test")
	fs, err := dfslocal.Resolver(c)
	require.NoError(t, err)
	return &countingRunner{runner: runner{conf: c, fs: fs}, fail: fail}
}

// TestBTWorldWithoutOneQuery checks that the failure of a query stops only the queries that depend
// on it, and that no intermediate output remains.
func TestBTWorldWithoutOneQuery(t *testing.T) {
	file := write(t, "h t 20091201T000000 1 2 3\n")
	all := map[string]bool{}
	for _, j := range btworld.App().Jobs {
		require.False(t, all[j.Name], j.Name)
		all[j.Name] = true
	}
	require.Len(t, all, 21)

	r, out := btRunner(t, "btworld-TopKTrackersGlobal-1"), filepath.Join(t.TempDir(), "out")
	err := btworld.App().Run(context.Background(), r, []string{"-parallel", "2", file, out})
	require.True(t, failure.Is(err, failure.Failed), "%v", err)
	require.ErrorContains(t, err, "as the test wants it")
	require.ErrorContains(t, err, "5 not started")
	require.Len(t, r.ended, 21-5)
	require.LessOrEqual(t, r.atOnce, 2)
	for _, q := range btQueries {
		there := !slices.Contains([]string{"TopKTrackersGlobal", "JoinTopKTrackers", "NewbornSwarms", "DeadSwarms"}, q)
		_, err := os.Stat(filepath.Join(out, q))
		require.Equal(t, there, err == nil, q)
	}
	require.NoDirExists(t, filepath.Join(out, "_between"))
	require.Empty(t, r.out.String(), "no report")
}

// TestBTWorldRefuses checks that bad arguments and settings are rejected before any job starts.
func TestBTWorldRefuses(t *testing.T) {
	file, taken, free := write(t, "x"), t.TempDir(), filepath.Join(t.TempDir(), "out")
	type bad struct {
		kind failure.Kind
		args []string
	}
	for _, x := range []bad{
		{failure.Usage, nil}, {failure.Usage, []string{file}}, {failure.Usage, []string{"-group", "0", file, free}},
		{failure.Usage, []string{"-group", "x", file, free}},
		{failure.Usage, []string{"-depth", "3", file, free}}, {failure.Usage, []string{file, free + "/{a,b}"}},
		{failure.Usage, []string{file, free + "*"}},
		{failure.Exists, []string{file, taken}}, {failure.NotFound, []string{free, free + "2"}},
	} {
		for _, app := range []*mapreduce.App{btworld.App(), btworld.TrackerOverTime(), btworld.ActiveHashes()} {
			r := btRunner(t, "")
			err := app.Run(context.Background(), r, x.args)
			require.True(t, failure.Is(err, x.kind), "%s %q: %v", app.Name, x.args, err)
			require.Empty(t, r.ended)
		}
	}
	for _, args := range [][]string{{"-top", "0", file, free}, {"-top", "10001", file, free},
		{"-parallel", "-1", file, free}} {
		_, err := run(t, nil, "btworld", args...)
		require.True(t, failure.Is(err, failure.Usage), "%q: %v", args, err)
	}
	for _, args := range [][]string{{"-top", "1", file, free}, {"-parallel", "1", file, free}} {
		_, err := run(t, nil, "btworld-tt", args...)
		require.True(t, failure.Is(err, failure.Usage), "%q: %v", args, err)
	}
	for _, app := range []string{"btworld", "btworld-tt", "btworld-ah"} {
		_, err := run(t, settings{"mapreduce.job.reduces": "0"}, app, file, free)
		require.True(t, failure.Is(err, failure.Config), "%s: %v", app, err)
		require.ErrorContains(t, err, "mapreduce.job.reduces")
	}
	require.NoDirExists(t, free)
	for _, args := range [][]string{nil, {free, free}, {"-scrapes", "-1", free}, {"-swarms", "0", free},
		{"-trackers", "0", free}, {"-skew", "5", free}, {"-m", "0", free},
		{"-seed", "-1", free}, {"-scrapes", "1000000000", "-swarms", "1", free}} {
		_, err := run(t, nil, "btworld-generate", args...)
		require.True(t, failure.Is(err, failure.Usage), "%q: %v", args, err)
	}
	_, err := run(t, nil, "btworld-generate", taken)
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
}

// TestBTWorldGenerate checks that a world depends on the seed but not on the number of maps.
func TestBTWorldGenerate(t *testing.T) {
	var worlds []string
	for _, args := range [][]string{{"-m", "1"}, {"-m", "7"}, {"-m", "3", "-seed", "2"}} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := run(t, nil, "btworld-generate", append(args, "-scrapes", "1234", "-swarms", "100", out)...)
		require.NoError(t, err)
		worlds = append(worlds, parts(t, out))
	}
	require.Equal(t, worlds[0], worlds[1])
	require.NotEqual(t, worlds[0], worlds[2])
	require.Equal(t, 1234, strings.Count(worlds[0], "\n"))
	require.Len(t, slices.Collect(maps.Keys(btOracle(btScrapes(t, worlds[0], time.Hour), 3))), len(btQueries))
}

// TestBTWorldSelectivities checks that the generator's defaults approximate the sizes in table 1 of
// Fawkes: 3.9 MB and 90 kB from 100 GB of input. Output grows with the moments that input covers,
// so one moment suffices.
func TestBTWorldSelectivities(t *testing.T) {
	out := filepath.Join(t.TempDir(), "scrapes")
	_, err := run(t, nil, "btworld-generate", "-scrapes", "256000", out)
	require.NoError(t, err)
	input := float64(len(parts(t, out)))
	for app, want := range map[string]float64{"btworld-tt": 3.9e6 / 100e9, "btworld-ah": 90e3 / 100e9} {
		answer := filepath.Join(t.TempDir(), "out")
		_, err := run(t, nil, app, out, answer)
		require.NoError(t, err)
		require.InEpsilon(t, want, float64(len(parts(t, answer)))/input, 0.2, app)
	}
}
