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
	"bytes"
	"fmt"
	"io"
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

// App returns the pagerank application.
func App() *mapreduce.App {
	d := &driver{
		graph: &mapreduce.Job{
			Name:     "pagerank-graph",
			Mapper:   mapreduce.MapFunc(readLinks),
			Combiner: mapreduce.ReduceOf(func() *joiner { return &joiner{} }),
			Reducer:  mapreduce.ReduceOf(func() *builder { return &builder{} }),
		},
		round: &mapreduce.Job{
			Name:     "pagerank-round",
			Mapper:   mapreduce.MapFunc(spread),
			Combiner: mapreduce.Sum[int64](),
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
func readLinks(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	page, targets, _ := bytes.Cut(line, tab)
	if len(page) == 0 {
		return fmt.Errorf("%q has no page before its tab", line)
	}
	out.Emit(page, targets)
	for t := range bytes.FieldsSeq(targets) {
		out.Emit(t, nil)
	}
	return nil
}

// joiner combines a page's lists of targets into a single list.
type joiner struct{ all []byte }

func (j *joiner) Reduce(_ *mapreduce.Context, page mapreduce.Text, lists iter.Seq[mapreduce.Text],
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	j.join(lists)
	out.Emit(page, j.all)
	return nil
}

// join sets all to the lists, separated by spaces.
func (j *joiner) join(lists iter.Seq[mapreduce.Text]) {
	j.all = j.all[:0]
	for l := range lists {
		if len(l) > 0 && len(j.all) > 0 {
			j.all = append(j.all, ' ')
		}
		j.all = append(j.all, l...)
	}
}

// builder writes the first state, which contains every page with rank 1 and its distinct links in
// order.
type builder struct {
	joiner
	pages, held *mapreduce.Counter
	targets     [][]byte
	value       []byte
}

func (b *builder) Setup(c *mapreduce.Context) (err error) {
	if b.pages, err = c.Counter(group, counterPages); err != nil {
		return err
	}
	b.held, err = c.Counter(group, counterHeld)
	return err
}

func (b *builder) Reduce(_ *mapreduce.Context, page mapreduce.Text, lists iter.Seq[mapreduce.Text],
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	b.join(lists)
	b.targets = slices.AppendSeq(b.targets[:0], bytes.FieldsSeq(b.all))
	slices.SortFunc(b.targets, bytes.Compare)
	b.pages.Add(1)
	if len(b.targets) == 0 {
		b.held.Add(int64(fixed.One))
	}
	b.value = append(fixed.One.Append(b.value[:0]), '\t')
	for i, t := range slices.CompactFunc(b.targets, bytes.Equal) {
		if i > 0 {
			b.value = append(b.value, ' ')
		}
		b.value = append(b.value, t...)
	}
	out.Emit(page, b.value)
	return nil
}

// parseState parses a line of a round's output. The results share memory with the line.
func parseState(line []byte) (page []byte, rank fixed.Number, targets []byte, err error) {
	page, rest, _ := bytes.Cut(line, tab)
	text, targets, ok := bytes.Cut(rest, tab)
	if !ok {
		return nil, 0, nil, fmt.Errorf("%q is not the state of a page", line)
	}
	rank, err = fixed.Parse(text)
	return page, rank, targets, err
}

var tab = []byte{'\t'}

// spread sends each target its share of the page's rank, in billionths.
func spread(_ *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int64]) error {
	_, rank, targets, err := parseState(line)
	if err != nil || len(targets) == 0 {
		return err
	}
	share := int64(rank) / int64(1+bytes.Count(targets, space))
	for more := true; more; {
		var target []byte
		target, targets, more = bytes.Cut(targets, space)
		out.Emit(target, share)
	}
	return nil
}

var space = []byte{' '}

// ranker computes each page's new rank. A round does not send the links to the reduces: each reduce
// reads its pages with their links from its own part file of the previous round. That file has the
// same pages in the same order as the reduce, because all rounds have the same number of reduces, the
// same partitioner, and the same order.
type ranker struct {
	damping, base, even uint64
	held, moved         *mapreduce.Counter
	states              mapreduce.RecordReader // nil if there is no file
	value               []byte
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
	if r.moved, err = c.Counter(group, counterMoved); err != nil {
		return err
	}
	r.states, err = openStates(c)
	return err
}

// openStates opens the previous round's part file of the same number as the reduce. It returns nil if
// that round wrote no file.
func openStates(c *mapreduce.Context) (mapreduce.RecordReader, error) {
	fs, name, err := c.FS.Resolve(mapreduce.InputPaths(c.Conf)[0])
	if err != nil {
		return nil, err
	}
	files, err := fs.List(c.Context(), name)
	if err != nil {
		return nil, err
	}
	part := mapreduce.PartName(c)
	for _, f := range files {
		if f.Name() == part || strings.HasPrefix(f.Name(), part+".") { // the extension is that of a codec
			// The file is not the job's input, so the attempt's counters must not count its bytes.
			own := mapreduce.NewContext(c.Context(), c.Env, mapreduce.TaskInfo{})
			whole := mapreduce.Chunk{Path: fs.URI() + f.Path, Length: f.Size}
			return mapreduce.TextInput{}.Open(own, &mapreduce.Split{Chunks: []mapreduce.Chunk{whole}, Length: f.Size})
		}
	}
	return nil, nil
}

func (r *ranker) Reduce(_ *mapreduce.Context, page mapreduce.Text, sums iter.Seq[int64],
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	var shares uint64 // can be close to the limit if all other pages link to this page
	for s := range sums {
		shares += uint64(s)
	}
	for {
		at, err := r.next(page, shares, out)
		if err == io.EOF {
			err = fmt.Errorf("page %q has a share but no state", page)
		}
		if err != nil || bytes.Equal(at, page) {
			return err
		}
	}
}

// Cleanup emits the pages after the last one with a share.
func (r *ranker) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	for out.Err() == nil {
		if _, err := r.next(nil, 0, out); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
	return nil
}

func (r *ranker) Close() {
	if r.states != nil {
		_ = r.states.Close() // it was only read
	}
}

// next reads the next page's state and emits its new state. The page has got no shares unless it is
// the page to. next returns the page, or io.EOF after the last one.
func (r *ranker) next(to []byte, shares uint64, out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) ([]byte, error) {
	if r.states == nil {
		return nil, io.EOF
	}
	_, text, err := r.states.Next()
	if err != nil {
		return nil, err
	}
	_, length, err := mapreduce.VInt(text)
	if err != nil {
		return nil, err
	}
	page, old, targets, err := parseState(text[length:])
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(page, to) {
		shares = 0
	}
	// The product needs 128 bits.
	hi, lo := bits.Mul64(r.damping, shares+r.even)
	damped, _ := bits.Div64(hi, lo, million)
	rank := fixed.Number(r.base + damped)
	r.moved.Add(int64(max(rank-old, old-rank)))
	if len(targets) == 0 {
		r.held.Add(int64(rank))
	}
	r.value = append(append(rank.Append(r.value[:0]), '\t'), targets...)
	out.Emit(page, r.value)
	return page, nil
}

// rankOnly emits a page's rank without its links.
func rankOnly(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, string]) error {
	page, rank, _, err := parseState(line)
	if err == nil {
		out.Emit(page, rank.String())
	}
	return err
}
