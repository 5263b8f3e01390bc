// Package pagerank ranks the pages of a web by their links, one job a round.
//
// A line of input is "PAGE TAB TARGET TARGET …" with targets separated by blanks; a page's lines add up, a page that is only
// linked to need not have one. OUT/ranks holds "PAGE TAB RANK"; ranks are decimals with at most nine places and add up to
// the number of pages, save for rounding. All sums are exact, so the result does not depend on splits or combiners.
//
// One round gives each page (1-d) + d*(sum of rank/links over the pages that link to it + what pages without links hold,
// shared out evenly), with d the damping.
package pagerank

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/howdah/howdah/apps/internal/fixed"
	"github.com/howdah/howdah/mapreduce"
)

// The settings that the driver passes to its tasks.
const (
	keyDamping = "howdah.pagerank.damping"  // in millionths
	keyPages   = "howdah.pagerank.pages"    // number of pages
	keyHeld    = "howdah.pagerank.dangling" // what pages without links held after the round before, in billionths
)

// The counters that tasks answer with.
const (
	group        = "PageRank"
	counterPages = "PAGES"
	counterHeld  = "DANGLING_RANK"
	counterMoved = "MOVED_RANK" // sum over the pages of how much their ranks changed
)

const million = 1_000_000

// A state line is "RANK TAB TARGET TARGET …" under the key PAGE. A message to a page is a rank share, marked by its first
// byte; the links of the page itself travel with the other mark.
const (
	share = '+'
	links = '>'
)

// App gives the application.
func App() *mapreduce.App {
	d := &driver{
		graph: &mapreduce.Job{
			Name:    "pagerank-graph",
			Mapper:  mapreduce.MapFunc(readLinks),
			Reducer: mapreduce.ReduceOf(func() *builder { return &builder{} }),
		},
		round: &mapreduce.Job{
			Name:     "pagerank-round",
			Mapper:   mapreduce.MapFunc(spread),
			Combiner: mapreduce.ReduceFunc(combine),
			Reducer:  mapreduce.ReduceOf(func() *ranker { return &ranker{} }),
		},
		ranks: &mapreduce.Job{
			Name:   "pagerank-ranks",
			Mapper: mapreduce.MapFunc(rankOnly),
			Conf:   map[string]string{mapreduce.KeyReduces: "0"},
		},
	}
	return &mapreduce.App{
		Name:  "pagerank",
		Short: "ranks pages by their links (PageRank, iterative)",
		Usage: "[-rounds N] [-damping D] [-epsilon E] <in>… <out>",
		Jobs:  []*mapreduce.Job{d.graph, d.round, d.ranks},
		Run:   d.run,
	}
}

// readLinks emits a page with its targets, and each target with none.
func readLinks(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	page, targets, _ := strings.Cut(line, "\t")
	if page == "" {
		return fmt.Errorf("%q has no page before its tab", line)
	}
	out.Emit(page, targets)
	for _, t := range strings.Fields(targets) {
		out.Emit(t, "")
	}
	return nil
}

// builder makes the first state: every page with rank 1 and its links in order, each once.
type builder struct{ pages, held *mapreduce.Counter }

func (b *builder) Setup(c *mapreduce.Context) (err error) {
	if b.pages, err = c.Counter(group, counterPages); err != nil {
		return err
	}
	b.held, err = c.Counter(group, counterHeld)
	return err
}

func (b *builder) Reduce(_ *mapreduce.Context, page string, lists iter.Seq[string], out *mapreduce.Out[string, string]) error {
	var targets []string
	for l := range lists {
		targets = append(targets, strings.Fields(l)...)
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	b.pages.Add(1)
	if len(targets) == 0 {
		b.held.Add(int64(fixed.One))
	}
	out.Emit(page, fixed.One.String()+"\t"+strings.Join(targets, " "))
	return nil
}

// state is a line of a round's output.
func parseState(line string) (page string, rank fixed.Number, targets string, err error) {
	page, rest, _ := strings.Cut(line, "\t")
	text, targets, ok := strings.Cut(rest, "\t")
	if !ok {
		return "", 0, "", fmt.Errorf("%q is no state of a page", line)
	}
	rank, err = fixed.Parse(text)
	return page, rank, targets, err
}

// spread sends each target its share of the page's rank, and the page its own links and old rank.
func spread(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	page, rank, targets, err := parseState(line)
	if err != nil {
		return err
	}
	out.Emit(page, string(links)+rank.String()+"\t"+targets)
	n := len(strings.Fields(targets))
	for t := range strings.FieldsSeq(targets) {
		out.Emit(t, string(share)+(rank/fixed.Number(n)).String())
	}
	return nil
}

// inbox is what arrived at a page.
type inbox struct {
	shares uint64 // billionths
	old    fixed.Number
	links  string
	here   bool
}

func read(messages iter.Seq[string]) (in inbox, err error) {
	for m := range messages {
		switch {
		case m == "":
			return in, errors.New("an empty message")
		case m[0] == links:
			text, targets, _ := strings.Cut(m[1:], "\t")
			in.old, err = fixed.Parse(text)
			in.links, in.here = targets, true
		default:
			var n fixed.Number
			n, err = fixed.Parse(m[1:])
			in.shares += uint64(n)
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

// combine adds up the shares for a page.
func combine(_ *mapreduce.Context, page string, messages iter.Seq[string], out *mapreduce.Out[string, string]) error {
	in, err := read(messages)
	if err != nil {
		return err
	}
	if in.shares > 0 {
		out.Emit(page, string(share)+fixed.Number(in.shares).String())
	}
	if in.here {
		out.Emit(page, string(links)+in.old.String()+"\t"+in.links)
	}
	return nil
}

// ranker gives each page its new rank.
type ranker struct {
	damping, base, even uint64
	held, moved         *mapreduce.Counter
}

func (r *ranker) Setup(c *mapreduce.Context) error {
	damping, err := c.Conf.Int(keyDamping, 850000, 0, million)
	if err != nil {
		return err
	}
	pages, err := c.Conf.Int(keyPages, 1, 1, 1<<33)
	if err != nil {
		return err
	}
	held, err := c.Conf.Int(keyHeld, 0, 0, 1<<62)
	if err != nil {
		return err
	}
	r.damping, r.even = uint64(damping), uint64(held/pages)
	r.base = uint64(fixed.One) / million * (million - r.damping)
	if r.held, err = c.Counter(group, counterHeld); err != nil {
		return err
	}
	r.moved, err = c.Counter(group, counterMoved)
	return err
}

func (r *ranker) Reduce(_ *mapreduce.Context, page string, messages iter.Seq[string], out *mapreduce.Out[string, string]) error {
	in, err := read(messages)
	if err != nil {
		return err
	}
	// In 128 bits: the shares of a page that everybody links to may come near the limit of 64.
	hi, lo := bits.Mul64(r.damping, in.shares+r.even)
	damped, _ := bits.Div64(hi, lo, million)
	rank := fixed.Number(r.base + damped)
	r.moved.Add(int64(max(rank-in.old, in.old-rank)))
	if in.links == "" {
		r.held.Add(int64(rank))
	}
	out.Emit(page, rank.String()+"\t"+in.links)
	return nil
}

// rankOnly drops the links.
func rankOnly(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	page, rank, _, err := parseState(line)
	if err == nil {
		out.Emit(page, rank.String())
	}
	return err
}
