package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// size is a size of the suite's inputs.
type size struct {
	name    string
	bytes   int64
	maps    int
	reduces int
}

// The sizes grow by factors of 8 or 16. A map reads at most 32 MiB.
var sizes = []size{
	{"tiny", 1 << 20, 2, 1},
	{"small", 16 << 20, 4, 2},
	{"medium", 128 << 20, 8, 4},
	{"large", 1 << 30, 32, 8},
	{"huge", 8 << 30, 256, 32},
}

func sizeNames() (names []string) {
	for _, s := range sizes {
		names = append(names, s.name)
	}
	return names
}

func sizeOf(name string) size {
	return sizes[slices.IndexFunc(sizes, func(s size) bool { return s.name == name })]
}

// benchmark is an application of the suite.
type benchmark struct {
	name  string
	about string
	input string // kind; "" = none
	// command returns the application and its arguments. The words {in}, {out}, and {work} stand for
	// the directories of the input, the output, and other data.
	command func(size) []string
	// model names the application of SimMR's testbed whose task times the simulator uses without a
	// profile, and jobs is the number of its jobs then.
	model string
	jobs  int
}

func plain(app string, args ...string) func(size) []string {
	return func(s size) []string {
		return slices.Concat([]string{app, "-D", conf.JobReduces.Name + "=" + strconv.Itoa(s.reduces)}, args)
	}
}

// suite contains the benchmark applications in alphabetical order.
var suite = []benchmark{
	{"bayes", "adds up the weights of words for each label", "articles", plain("bayes", "{in}", "{out}"), "Bayes", 1},
	{"btworld", "answers 14 queries in a workflow of 21 jobs", "scrapes", plain("btworld", "{in}", "{out}"),
		"WikiTrends", 21},
	{"dfsio", "writes files", "", func(s size) []string {
		return []string{"dfsio", "-D", "test.build.data={work}", "-write", "-nrFiles", strconv.Itoa(s.maps), "-size",
			fmt.Sprintf("%dB", s.bytes/int64(s.maps))}
	}, "Sort", 1},
	{"grep", "counts the matches of a regular expression, and sorts them", "articles",
		plain("grep", "{in}", "{out}", "topic[0-9]+"), "WordCount", 2},
	{"kmeans", "clusters points in three rounds", "points",
		plain("kmeans", "-k", "8", "-rounds", "3", "{in}", "{out}"), "Bayes", 6},
	{"pagerank", "ranks pages by their links in three rounds", "links",
		plain("pagerank", "-rounds", "3", "{in}", "{out}"), "Twitter", 5},
	{"sort", "sorts lines by key", "articles", func(s size) []string {
		return []string{"sort", "-r", strconv.Itoa(s.reduces), "{in}", "{out}"}
	}, "Sort", 1},
	{"terasort", "sorts rows of 100 bytes", "rows", plain("terasort", "{in}", "{out}"), "Sort", 1},
	{"wordcount", "counts words", "articles", plain("wordcount", "{in}", "{out}"), "WordCount", 1},
}

func suiteNames() (names []string) {
	for i := range suite {
		names = append(names, suite[i].name)
	}
	return names
}

func benchmarkOf(app string) *benchmark {
	return &suite[slices.IndexFunc(suite, func(b benchmark) bool { return b.name == app })]
}

// command returns the words that howdah run needs for the application.
func (w *Work) command() []string {
	if w.App != "" {
		return benchmarkOf(w.App).command(sizeOf(w.Size))
	}
	return w.Run
}

// input returns the application's input, or nil.
func (w *Work) input() *Input {
	if w.App == "" {
		return w.Input
	}
	b, s := benchmarkOf(w.App), sizeOf(w.Size)
	if b.input == "" {
		return nil
	}
	return &Input{Kind: b.input, Bytes: s.bytes, Parts: s.maps}
}

// modeled returns the template of the suite's application without a profile. The times are those of
// SimMR's testbed, scaled to the bytes of a map.
func (b *benchmark) modeled(s size) (generate.Application, float64) {
	for _, a := range generate.TestbedApplications() {
		if a.Name == b.model {
			return a, float64(s.bytes) / float64(s.maps) / (64 << 20)
		}
	}
	panic("scenario: no template " + b.model)
}

// Suite returns a scenario that runs benchmark applications one after another, at the given size and
// under the FIFO scheduler. No names means all applications. It returns an error of kind Usage if a
// name is unknown.
func Suite(sizeName string, nodes int, names []string) (string, error) {
	bad := func(what, s string, want []string) error {
		return failure.New(failure.Usage, "write suite", s, fmt.Errorf("unknown %s: want one of %s", what,
			strings.Join(want, ", ")))
	}
	if !slices.Contains(sizeNames(), sizeName) {
		return "", bad("size", sizeName, sizeNames())
	}
	if len(names) == 0 {
		names = suiteNames()
	}
	var b strings.Builder
	fmt.Fprintf(&b, `scenario: suite-%s
about: The benchmark applications, one after another, with %s inputs.
cluster: {nodes: %d, maps: 2, reduces: 1}
scheduler: fifo
repetitions: {simulated: 20, real: 3}
workload:
`, sizeName, sizeName, nodes)
	for i, n := range names {
		if !slices.Contains(suiteNames(), n) {
			return "", bad("application", n, suiteNames())
		}
		if slices.Contains(names[:i], n) {
			return "", failure.New(failure.Usage, "write suite", n, errors.New("it occurs twice"))
		}
		fmt.Fprintf(&b, "  - {app: %s, size: %s", n, sizeName)
		if i > 0 {
			fmt.Fprintf(&b, ", after: %s", names[i-1])
		}
		b.WriteString("}\n")
	}
	return b.String(), nil
}
