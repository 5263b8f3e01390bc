// Package pagerank ranks web pages by their links, with one job per round. Start with App.
//
// An input line is "PAGE TAB TARGET TARGET …", with targets separated by spaces. A page can have
// several lines. A page that is only a target needs no line. Lines in OUT/ranks have the form "PAGE
// TAB RANK". Ranks are decimals with at most nine places and add up to the number of pages, except
// for rounding. All sums are exact, so the result does not depend on splits or combiners.
//
// A round computes the rank of each page P as (1-d) + d*(S+E), where d is the damping factor. S is
// the sum of rank/links over the pages that link to P. E is an even share of the ranks of all pages
// without links.
package pagerank

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/howdah/howdah/apps/internal/fixed"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// The settings that the driver passes to its tasks.
const (
	keyDamping = "howdah.pagerank.damping"  // in millionths
	keyPages   = "howdah.pagerank.pages"    // total number of pages
	keyHeld    = "howdah.pagerank.dangling" // sum of the previous round's ranks of pages without links, in billionths
)

// The tasks' counters, which the driver reads.
const (
	group        = "PageRank"
	counterPages = "PAGES"
	counterHeld  = "DANGLING_RANK"
	counterMoved = "MOVED_RANK" // sum of the changes of all ranks, in billionths
)

const million = 1_000_000

// The first byte of a message to a page. It indicates whether the message is a share of another
// page's rank or the page's own state, which has the form "RANK TAB TARGET TARGET …".
const (
	share = '+'
	links = '>'
)

// App returns the pagerank application.
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
			Conf:   map[string]string{conf.JobReduces.Name: "0"},
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

// readLinks emits a page together with its targets. It then emits each target as a page without
// targets.
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

// builder writes the first state, which contains every page with rank 1 and its distinct links in
// order.
type builder struct{ pages, held *mapreduce.Counter }

func (b *builder) Setup(c *mapreduce.Context) (err error) {
	if b.pages, err = c.Counter(group, counterPages); err != nil {
		return err
	}
	b.held, err = c.Counter(group, counterHeld)
	return err
}

func (b *builder) Reduce(_ *mapreduce.Context, page string, lists iter.Seq[string],
	out *mapreduce.Out[string, string]) error {
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

// parseState parses a line of a round's output.
func parseState(line string) (page string, rank fixed.Number, targets string, err error) {
	page, rest, _ := strings.Cut(line, "\t")
	text, targets, ok := strings.Cut(rest, "\t")
	if !ok {
		return "", 0, "", fmt.Errorf("%q is not the state of a page", line)
	}
	rank, err = fixed.Parse(text)
	return page, rank, targets, err
}

// spread sends each target its share of the page's rank, and sends the page its own links and old
// rank.
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

// inbox contains a page's own state, if one of the messages contains it, and the sum of the shares
// in the messages.
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

// combine adds up the shares of a page and passes on the page's state.
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

// ranker computes each page's new rank.
type ranker struct {
	damping, base, even uint64
	held, moved         *mapreduce.Counter
}

func (r *ranker) Setup(c *mapreduce.Context) error {
	damping, err := conf.PageRankDamping.Get(c.Conf)
	if err != nil {
		return err
	}
	pages, err := conf.PageRankPages.Get(c.Conf)
	if err != nil {
		return err
	}
	held, err := conf.PageRankDangling.Get(c.Conf)
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

func (r *ranker) Reduce(_ *mapreduce.Context, page string, messages iter.Seq[string],
	out *mapreduce.Out[string, string]) error {
	in, err := read(messages)
	if err != nil {
		return err
	}
	// The product needs 128 bits. If all other pages link to this page, the sum of its shares can
	// be close to the 64-bit limit.
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

// rankOnly emits a page's rank without its links.
func rankOnly(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	page, rank, _, err := parseState(line)
	if err == nil {
		out.Emit(page, rank.String())
	}
	return err
}
