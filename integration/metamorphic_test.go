//go:build integration

package integration

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
)

// application is a bundled application with a result that must not depend on how its jobs run.
type application struct {
	name string
	set  []string                             // settings that affect the result, such as numbers of reduces
	args func(in inputs, out string) []string // arguments of the command
	// whole compares only the concatenation of the part files, because the splits or samples of them
	// determine where part files end.
	whole bool
	maps  bool // the application has no reducers
	twin  bool // testdata/everyapp has a variant of the application without a combiner
}

// inputs holds the files that applications read.
type inputs struct{ words, pairs, rows, numbers, points, web, articles, traffic, follows, tweets string }

var applications = []application{
	{name: "wordcount", twin: true, set: []string{"mapreduce.job.reduces=3"},
		args: func(in inputs, out string) []string { return []string{in.words, out} }},
	{name: "grep", twin: true, args: func(in inputs, out string) []string { return []string{in.words, out, "w[0-9]*7"} }},
	{name: "sort", args: func(in inputs, out string) []string { return []string{"-r", "3", in.pairs, out} }},
	{name: "sort", whole: true, args: func(in inputs, out string) []string {
		return []string{"-r", "3", "-totalOrder", "0.1", "1000", "10", in.pairs, out}
	}},
	{name: "terasort", whole: true, set: []string{"mapreduce.job.reduces=3"},
		args: func(in inputs, out string) []string { return []string{in.rows, out} }},
	{name: "teragen", whole: true, maps: true, args: func(_ inputs, out string) []string { return []string{"9000", out} }},
	{name: "secondarysort", set: []string{"mapreduce.job.reduces=2"},
		args: func(in inputs, out string) []string { return []string{in.numbers, out} }},
	{name: "kmeans", twin: true, set: []string{"mapreduce.job.reduces=2"}, args: func(in inputs, out string) []string {
		return []string{"-k", "4", "-rounds", "2", in.points, out}
	}},
	{name: "pagerank", twin: true, set: []string{"mapreduce.job.reduces=2"},
		args: func(in inputs, out string) []string { return []string{"-rounds", "2", in.web, out} }},
	{name: "tfidf", twin: true, set: []string{"mapreduce.job.reduces=2"},
		args: func(in inputs, out string) []string { return []string{in.articles, out} }},
	{name: "bayes", twin: true, set: []string{"mapreduce.job.reduces=2"},
		args: func(in inputs, out string) []string { return []string{in.articles, out} }},
	{name: "wikitrends", twin: true, set: []string{"mapreduce.job.reduces=2"},
		args: func(in inputs, out string) []string { return []string{in.traffic, out} }},
	{name: "twitter", twin: true, set: []string{"mapreduce.job.reduces=2"},
		args: func(in inputs, out string) []string { return []string{in.follows, out} }},
	{name: "twitter-rank", twin: true, set: []string{"mapreduce.job.reduces=2"},
		args: func(in inputs, out string) []string { return []string{in.follows, in.tweets, out} }},
	{name: "pi", twin: true, args: func(inputs, string) []string { return []string{"7", "1000"} }},
}

func (a application) title() string {
	if a.name == "sort" && a.whole {
		return "sort-total"
	}
	return a.name
}

// variations are settings that must not change the result.
var variations = [][]string{
	{"mapreduce.job.maps=5"},
	{"mapreduce.input.fileinputformat.split.maxsize=150000", "mapreduce.task.io.sort.mb=1",
		"mapreduce.task.io.sort.factor=2",
		"mapreduce.map.output.compress=true", "mapreduce.map.output.compress.codec=org.apache.hadoop.io.compress.GzipCodec"},
	{"mapreduce.input.fileinputformat.split.maxsize=411111", "mapreduce.job.maps=3", "mapreduce.task.io.sort.mb=1",
		"mapreduce.map.sort.spill.percent=0.3",
		"mapreduce.map.output.compress=true",
		"mapreduce.map.output.compress.codec=org.apache.hadoop.io.compress.ZStandardCodec"},
	{"mapreduce.input.fileinputformat.split.maxsize=97531", "mapreduce.job.maps=9", "mapreduce.task.io.sort.factor=3",
		"mapreduce.map.combine.minspills=1",
		"mapreduce.map.output.compress=true", "mapreduce.job.reduce.slowstart.completedmaps=1"},
	{"mapreduce.task.io.sort.mb=1", "mapreduce.map.sort.spill.percent=0.1",
		"mapreduce.reduce.shuffle.input.buffer.percent=0.01", "mapreduce.reduce.merge.inmem.threshold=2"},
}

// chance returns a test's source of random numbers. It logs the seed and the command that
// reproduces the test with this seed.
func chance(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("HOWDAH_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("again: HOWDAH_SEED=%d go test -count=1 -tags integration -run '^%s$' ./integration", seed, t.Name())
	return rand.New(rand.NewPCG(seed, 1))
}

// The same input yields the same result in-process and on clusters of 1, 2, and 5 TaskTrackers.
// Settings for splits, buffers, merges, compression, and combiners do not change the result.
func TestMetamorphic(t *testing.T) {
	r, in, twins := chance(t), makeInputs(t), everyapp(t)
	type run struct {
		app     application
		program []string // and the arguments that precede its settings
		name    []string // the arguments that follow its settings
		set     []string
	}
	var plan []run
	for _, a := range applications {
		for _, v := range variations {
			plan = append(plan, run{a, []string{minicluster.Binary(t), "run", "-q", a.name}, nil, v})
		}
		if a.twin {
			plan = append(plan, run{a, []string{twins}, []string{a.name + "-nocombine"}, variations[1+r.IntN(2)]})
		}
	}
	r.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	want := references(t, in)

	// Each cluster size runs its share of the plan, and at least one run of each application.
	sizes := []int{0, 1, 2, 5}
	for s, size := range sizes {
		t.Run(fmt.Sprintf("TaskTrackers=%d", size), func(t *testing.T) {
			command := func(program string, args ...string) minicluster.Result {
				return minicluster.RunAlone(t, program, args...)
			}
			if size > 0 {
				command = minicluster.Start(t, minicluster.Options{TaskTrackers: size}).Command
			}
			seen := map[string]bool{}
			for i, p := range plan {
				if i%len(sizes) != s && seen[p.app.title()] {
					continue
				}
				seen[p.app.title()] = true
				t.Run(p.app.title(), func(t *testing.T) {
					t.Parallel()
					out := filepath.Join(t.TempDir(), "out")
					args := slices.Concat(p.program[1:], defines(p.app.set), defines(p.set), p.name, p.app.args(in, out))
					require.Empty(t, differ(want[p.app.title()], p.app.result(t, out, ok(t, command(p.program[0], args...)))),
						"with %v", p.set)
				})
			}
		})
	}
}

// references runs every application in-process with default settings.
func references(t *testing.T, in inputs) map[string]map[string]string {
	t.Helper()
	want := map[string]map[string]string{}
	for _, a := range applications {
		out := filepath.Join(t.TempDir(), "out")
		r := ok(t, minicluster.Alone(t, slices.Concat([]string{"run", "-q", a.name}, defines(a.set), a.args(in, out))...))
		want[a.title()] = a.result(t, out, r)
		require.NotEmpty(t, want[a.title()], a.name)
	}
	return want
}

// An application's output is the same when the test kills or fails at least twenty running attempts.
// The test kills child processes, TaskTrackers, and the JobTracker with SIGKILL, and kills or fails
// attempts by command.
func TestMetamorphicUnderKills(t *testing.T) {
	const kills = 20
	r, in, program := chance(t), makeInputs(t), everyapp(t)
	want := references(t, in)
	for _, a := range applications {
		seed := r.Uint64()
		t.Run(a.title(), func(t *testing.T) {
			t.Parallel()
			c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: patient})
			gate, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
			args := slices.Concat(defines(a.set), defines(variations[1]),
				defines([]string{"everyapp.hold=" + gate, "mapreduce.job.maps=6"}), []string{a.name}, a.args(in, out))
			wait, _ := c.BackgroundCommand(program, args...)
			s := &striker{t: t, c: c, x: dial(t, c), r: rand.New(rand.NewPCG(seed, 2)), struck: map[job.AttemptID]strike{}}
			s.until(6, "in the map phase")
			s.fell("tasktracker-1")
			s.until(6, "after a TaskTracker")
			c.Kill("jobtracker")
			c.StartAgain("jobtracker")
			s.until(4, "after the JobTracker")
			if a.maps {
				s.until(8, "in a job without reducers")
			}
			open(t, gate, "map")
			if !a.maps {
				minicluster.Eventually(t, time.Minute, "reduces to run",
					func() bool { return len(attempts(t, s.x, "reduce", "RUNNING")) > 0 })
				s.until(5, "in the reduce phase")
				s.fell("tasktracker-2")
				s.until(4, "after a TaskTracker in the reduce phase")
				open(t, gate, "reduce")
			}
			result := ok(t, wait())
			require.Empty(t, differ(want[a.title()], a.result(t, out, result)))
			hits := s.hits()
			t.Logf("%d running attempts were hit", hits)
			require.GreaterOrEqual(t, hits, kills)
			for _, j := range jobs(t, s.x) {
				require.Equal(t, job.Succeeded, j.State, "%s: %s", j.ID, j.Diagnostics)
			}
			nothingLeft(t, c, out)
		})
	}
}

// patient holds settings with which a cluster detects failures quickly, and a job survives hundreds
// of them.
var patient = []string{
	"mapreduce.map.maxattempts=1000", "mapreduce.reduce.maxattempts=1000", "mapreduce.job.maxtaskfailures.per.tracker=0",
	"mapreduce.jobtracker.tasktracker.maxblacklists=0", "mapreduce.jobtracker.expire.trackers.interval=2000",
	"mapreduce.tasktracker.tasks.sleeptimebeforesigkill=200", "mapreduce.tasktracker.map.tasks.maximum=3",
}

func open(t *testing.T, dir, name string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
}

// everyapp builds the program in testdata/everyapp.
func everyapp(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "everyapp")
	out, err := exec.Command("go", "build", "-o", bin, "./testdata/everyapp").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

func defines(set []string) []string {
	var out []string
	for _, s := range set {
		out = append(out, "-D", s)
	}
	return out
}

// result returns the result of an application: its output files by name, some of them concatenated,
// or pi's printed estimate.
func (a application) result(t testing.TB, out string, r minicluster.Result) map[string]string {
	t.Helper()
	got := map[string]string{}
	if a.name == "pi" {
		got["value"] = estimateLine.FindString(r.Out)
		require.NotEmpty(t, got["value"], r.Out)
		return got
	}
	require.NoError(t, filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			require.NotEqual(t, "_temporary", d.Name())
			return err
		}
		name, err := filepath.Rel(out, path)
		require.NoError(t, err)
		if base := filepath.Base(name); strings.HasPrefix(base, "part-m-") || a.whole && strings.HasPrefix(base, "part-") {
			name = filepath.Join(filepath.Dir(name), parted) // WalkDir sorts by name
		}
		text, err := os.ReadFile(path)
		got[name] += string(text)
		return err
	}))
	for name, text := range got {
		// Map n reads the nth largest split, so the order of lines across files is not part of the
		// result.
		if filepath.Base(name) == parted && !a.whole {
			lines := strings.SplitAfter(text, "\n")
			slices.Sort(lines)
			got[name] = strings.Join(lines, "")
		}
	}
	return got
}

// parted is the key of concatenated part files in a result.
const parted = "parts"

var estimateLine = regexp.MustCompile(`Estimated value.*`)

// differ lists the parts that differ between two results.
func differ(want, got map[string]string) string {
	var b strings.Builder
	for name := range want {
		if g, there := got[name]; !there || g != want[name] {
			fmt.Fprintf(&b, "%s: %d bytes instead of %d\n", name, len(g), len(want[name]))
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			fmt.Fprintf(&b, "%s: not there before\n", name)
		}
	}
	return b.String()
}

// makeInputs writes the input of every application. Some inputs have several files. The inputs of
// sort and terasort are larger than a buffer of 1 MiB.
func makeInputs(t *testing.T) inputs {
	t.Helper()
	r, dir := rand.New(rand.NewPCG(3, 4)), t.TempDir()
	write := func(name string, files, lines int, line func(b *strings.Builder, i int)) string {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		for f := range files {
			var b strings.Builder
			for i := range lines {
				line(&b, f*lines+i)
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name, fmt.Sprintf("f%d", f)), []byte(b.String()), 0o644))
		}
		return filepath.Join(dir, name)
	}
	var in inputs
	in.words = write("words", 2, 8000, func(b *strings.Builder, _ int) {
		for range 1 + r.IntN(12) {
			fmt.Fprintf(b, "w%d ", int(r.ExpFloat64()*500))
		}
		b.WriteByte('\n')
	})
	order := r.Perm(40000)
	in.pairs = write("pairs", 2, 20000, func(b *strings.Builder, i int) {
		// Keys are unique, because the values of equal keys are in the order of maps.
		fmt.Fprintf(b, "key%d\tvalue %d of some length\n", order[i], r.IntN(1000))
	})
	in.numbers = write("numbers", 2, 20000,
		func(b *strings.Builder, _ int) { fmt.Fprintf(b, "%d %d\n", r.IntN(300)-150, r.Int32()) })
	in.points = write("points", 2, 6000, func(b *strings.Builder, _ int) {
		fmt.Fprintf(b, "%.4f,%.4f,%.4f\n", r.NormFloat64()*10, r.Float64(), r.NormFloat64())
	})
	in.web = write("web", 2, 3000, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "page%d\t", i)
		for range r.IntN(8) {
			fmt.Fprintf(b, "page%d ", int(r.ExpFloat64()*1500))
		}
		b.WriteByte('\n')
	})
	in.rows = filepath.Join(dir, "rows")
	ok(t, minicluster.Alone(t, "run", "-q", "teragen", "-D", "mapreduce.job.maps=2", "15000", in.rows))
	generate := func(kind, records string) string {
		out := filepath.Join(dir, kind)
		ok(t, minicluster.Alone(t, "run", "-q", "datagen", "-records", records, kind, out))
		return out
	}
	in.articles, in.traffic = generate("articles", "800"), generate("traffic", "30000")
	in.follows, in.tweets = generate("follows", "30000"), generate("tweets", "4000")
	return in
}
