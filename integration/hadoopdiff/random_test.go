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
	seed = flag.Uint64("seed", 0, "seed of random jobs; 0 draws one")
	jobs = flag.Int("jobs", 12, "number of random jobs")
	only = flag.Int("only", -1, "run only this one of the random jobs")
)

// drawn is a random job and the items of which it consists.
type drawn struct {
	Case
	items []string
	text  func(*rand.Rand) string // contents of an input file
}

func (d *drawn) has(items ...string) { d.items = append(d.items, items...) }

func (d *drawn) set(pairs ...string) { d.Set = append(d.Set, pairs...) }

// program is the program of a random job. It also describes how the program reads its input and how
// the outputs are compared.
type program struct {
	name  string
	draw  func(d *drawn, r *rand.Rand)
	text  bool // the program reads any text from {in}
	fixed bool // the program sets its own formats

	options []string // of Streaming
}

// dimension is one way to vary a job.
type dimension struct {
	name string
	draw func(d *drawn, r *rand.Rand)
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// drawer prefers the items that it has drawn least, so that every item occurs often in a long
// campaign.
type drawer struct {
	r     *rand.Rand
	tally map[string]int
}

// least returns one of the names with the fewest draws.
func (w *drawer) least(names []string) string {
	names = slices.Clone(names)
	w.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return slices.MinFunc(names, func(a, b string) int { return cmp.Compare(w.tally[a], w.tally[b]) })
}

// one draws an item from a dimension.
func (w *drawer) one(d *drawn, from map[string]dimension) {
	x := from[w.least(names(from))]
	d.has(x.name)
	x.draw(d, w.r)
}

// next draws job n. The result depends only on the seed and on the jobs drawn before.
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
		d.Set = nil // the program would treat -D as a file
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

// streaming returns the Streaming case with the rarest option.
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

// input draws the text, its layout in files, and the compression of the files.
func (w *drawer) input(d *drawn) {
	w.one(d, contents)
	if d.text != nil { // otherwise the files already contain the text
		w.one(d, layouts)
	}
	if d.items[0] != "NLine" { // NLine does not split compressed files
		w.one(d, packings)
	}
}

// may reports whether a program can run with a number of reduces.
func (d *drawn) may(reducers string) bool {
	if reducers == "100 reducers" && slices.Contains(d.items, "1000 tiny files") {
		return false // the job would have 100,000 pieces of map output
	}
	if d.Class == streaming {
		return reducers != "0 reducers" || !slices.Contains(d.Args, "aggregate")
	}
	if reducers != "0 reducers" {
		// A total order with more ranges than keys is an error.
		return d.items[0] != "total order" || reducers != "100 reducers"
	}
	return !slices.Contains([]string{"secondarysort", "kmeans", "pagerank", "tfidf", "twitter", "twitter-rank", "grep",
		"multiple outputs", "multiple inputs", "chain",
		"total order", "join", "random writers", "puzzles", "multifilewc", "aggregatewordcount", "aggregatewordhist",
		"terasort", "pi", "bayes", "wikitrends"}, d.items[0]) && !slices.Contains(d.Args, "aggregate")
}

func names[T any](m map[string]T) []string {
	var out []string
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// tuning changes settings that must not affect the result.
func tuning(d *drawn, r *rand.Rand) {
	switch r.IntN(3) {
	case 0:
		if d.items[0] == "terasort" {
			return // with more than ten splits, Hadoop samples a varying selection
		}
		if d.Class != streaming { // Streaming's formats ignore the setting
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
	t.Logf("seed %d; one job again: go test -tags integration ./integration/hadoopdiff -run TestRandom -seed %d -jobs "+
		"%d -only N", *seed, *seed, *jobs)
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

// In a campaign of 500 jobs every item occurs at least ten times. The test tries ten seeds.
func TestEveryItemIsDrawnOften(t *testing.T) {
	for seed := range uint64(10) {
		w := &drawer{r: rand.New(rand.NewPCG(seed, 1)), tally: map[string]int{}}
		for n := range 500 {
			w.next(n)
		}
		for _, from := range [][]string{names(programs), names(contents), names(layouts), names(packings), names(outputs),
			names(reducers)} {
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

// tallied lists the number of draws of each item.
func tallied(tally map[string]int) string {
	var b strings.Builder
	b.WriteString("how often each item was drawn:\n")
	for _, n := range names(tally) {
		fmt.Fprintf(&b, "%6d  %s\n", tally[n], n)
	}
	return b.String()
}
