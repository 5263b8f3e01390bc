//go:build integration

package hadoopdiff

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	seed = flag.Uint64("seed", 0, "of random jobs; 0 draws one")
	jobs = flag.Int("jobs", 25, "random jobs")
	only = flag.Int("only", -1, "runs one of the random jobs")
)

// drawn is a random job with the items that it is made of.
type drawn struct {
	Case
	items []string
	text  func(*rand.Rand) string // what a file of the input holds
}

func (d *drawn) has(items ...string) { d.items = append(d.items, items...) }

func (d *drawn) set(pairs ...string) { d.Set = append(d.Set, pairs...) }

// program is a random job's program: what it reads, and how its output is compared.
type program struct {
	name  string
	draw  func(d *drawn, r *rand.Rand)
	text  bool // it reads any text from {in}
	fixed bool // it sets its formats itself

	options []string // of Streaming
}

// dimension varies a job in one way.
type dimension struct {
	name string
	draw func(d *drawn, r *rand.Rand)
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// drawer draws what was drawn least, so that in a long campaign everything comes often.
type drawer struct {
	r     *rand.Rand
	tally map[string]int
}

// least gives one of the names that were drawn least.
func (w *drawer) least(names []string) string {
	names = slices.Clone(names)
	w.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return slices.MinFunc(names, func(a, b string) int { return cmp.Compare(w.tally[a], w.tally[b]) })
}

// one draws from a dimension.
func (w *drawer) one(d *drawn, from map[string]dimension) {
	x := from[w.least(names(from))]
	d.has(x.name)
	x.draw(d, w.r)
}

// next draws a job. What it does to the tally depends on the seed alone.
func (w *drawer) next(n int) drawn {
	d := drawn{Case: Case{Name: fmt.Sprintf("random-%d", n)}}
	var p program
	if n%5 < 2 {
		p = w.streaming()
		d.has("streaming")
	} else {
		p = programs[w.least(names(programs))]
		d.has(p.name)
	}
	p.draw(&d, w.r)
	if p.text {
		w.input(&d)
	}
	if !p.fixed {
		w.one(&d, outputs)
	}
	if d.Class != streaming || !slices.Contains(d.Args, "-numReduceTasks") {
		if n := reducers[w.least(names(reducers))]; d.may(n.name) {
			d.has(n.name)
			n.draw(&d, w.r)
		}
	}
	if w.r.IntN(3) == 0 {
		tuning(&d, w.r)
	}
	if slices.Contains(d.Args, "sudoku") {
		d.Set = nil // there it takes -D for a file
	}
	if d.Class == streaming {
		moreOptions(&d, w.r)
		d.has(optionsOf(&d.Case)...)
	}
	for _, i := range d.items {
		w.tally[i]++
	}
	return d
}

// streaming gives the case of Streaming with the rarest option.
func (w *drawer) streaming() program {
	all := streamingPrograms()
	w.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	rarest := func(p program) int {
		least := 1 << 30
		for _, o := range p.options {
			least = min(least, w.tally[o])
		}
		return least
	}
	return slices.MinFunc(all, func(a, b program) int { return cmp.Compare(rarest(a), rarest(b)) })
}

// input draws what the text is like, how it lies in files, and how these are packed.
func (w *drawer) input(d *drawn) {
	w.one(d, contents)
	if d.text != nil { // else it lies in files already
		w.one(d, layouts)
	}
	if d.items[0] != "NLine" { // which does not cut packed files
		w.one(d, packings)
	}
}

// may tells whether a program runs with a number of reducers.
func (d *drawn) may(reducers string) bool {
	if reducers == "100 reducers" && slices.Contains(d.items, "1000 tiny files") {
		return false // 100,000 pieces of map output
	}
	if d.Class == streaming {
		return reducers != "0 reducers" || !slices.Contains(d.Args, "aggregate")
	}
	if reducers != "0 reducers" {
		// More ranges than keys are an error there.
		return d.items[0] != "total order" || reducers != "100 reducers"
	}
	return !slices.Contains([]string{"secondarysort", "kmeans", "pagerank", "tfidf", "twitter", "twitter-rank", "grep", "multiple outputs", "multiple inputs", "chain",
		"total order", "join", "random writers", "puzzles", "multifilewc", "aggregatewordcount", "aggregatewordhist", "terasort", "pi", "bayes", "wikitrends"}, d.items[0]) && !slices.Contains(d.Args, "aggregate")
}

func names[T any](m map[string]T) []string {
	var out []string
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// tuning changes what must not change the result.
func tuning(d *drawn, r *rand.Rand) {
	switch r.IntN(3) {
	case 0:
		if d.items[0] == "terasort" {
			return // of more than ten splits some are sampled, and which differs
		}
		if d.Class != streaming { // whose formats do not hear of it
			d.set(fmt.Sprintf("mapreduce.input.fileinputformat.split.maxsize=%d", 300+r.IntN(5000)))
			d.Anyhow = append(d.Anyhow, "Bytes Read") // readers look ahead
		}
	case 1:
		d.set("mapreduce.map.output.compress=true", "mapreduce.map.output.compress.codec="+codecPackage+pick(r, codecs))
	case 2:
		d.set(fmt.Sprintf("mapreduce.task.io.sort.factor=%d", 2+r.IntN(20)))
	}
}

func TestRandom(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	b := bench(t)
	w := &drawer{r: rand.New(rand.NewPCG(*seed, 1)), tally: map[string]int{}}
	var all []drawn
	for n := range *jobs {
		all = append(all, w.next(n))
	}
	t.Logf("seed %d; one job again: go test -tags integration ./integration/hadoopdiff -run TestRandom -seed %d -jobs %d -only N", *seed, *seed, *jobs)
	t.Run("jobs", func(t *testing.T) {
		for n, d := range all {
			if *only >= 0 && *only != n {
				continue
			}
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				t.Logf("%q: %q", d.items, d.ours(places{dir: "DIR", in: "DIR/in", out: "DIR/out"}))
				runCase(t, b, &d.Case, *seed+uint64(n))
			})
		}
	})
	t.Log(tallied(w.tally))
}

// In a campaign of 500 jobs every item comes ten times, whatever the seed.
func TestEveryItemIsDrawnOften(t *testing.T) {
	for seed := range uint64(10) {
		w := &drawer{r: rand.New(rand.NewPCG(seed, 1)), tally: map[string]int{}}
		for n := range 500 {
			w.next(n)
		}
		for _, from := range [][]string{names(programs), names(contents), names(layouts), names(packings), names(outputs), names(reducers)} {
			for _, item := range from {
				if w.tally[item] < 10 {
					t.Errorf("seed %d: %s comes %d times", seed, item, w.tally[item])
				}
			}
		}
		for item, n := range w.tally {
			if n < 10 {
				t.Errorf("seed %d: %s comes %d times", seed, item, n)
			}
		}
	}
}

// tallied shows how often each item was drawn.
func tallied(tally map[string]int) string {
	var b strings.Builder
	b.WriteString("how often each item was drawn:\n")
	for _, n := range names(tally) {
		fmt.Fprintf(&b, "%6d  %s\n", tally[n], n)
	}
	return b.String()
}
