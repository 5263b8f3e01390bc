package importer

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Rates supply what SWIM's tables lack: tasks and how long they take. The zero value has the defaults.
type Rates struct {
	Block          int64   // bytes of input per map; 0 = 64 MiB
	BytesPerReduce int64   // of shuffle and output together; 0 = 64 MiB
	Map            float64 // MB/s that a map reads, 0 = 5
	Shuffle        float64 // MB/s that a reduce fetches and sorts, 0 = 5
	Reduce         float64 // MB/s that a reduce reads and writes, 0 = 5
	Overhead       float64 // ms that every task takes besides, 0 = 2000
	Spread         float64 // standard deviation of times over their mean (lognormal), 0 = none
	MapOnly        bool    // a job without shuffle has no reduce; SWIM gives it one
	Seed           uint64  // of the spread
}

// swimRow is a job of a table.
type swimRow struct {
	id              string
	submit          float64 // s
	in, mid, result float64 // bytes
}

// swimLine reads a row: id, submission, gap, and bytes of input, shuffle and output.
func swimLine(line string) (swimRow, error) {
	f := strings.Fields(line)
	if len(f) < 6 || strings.Count(line, "\t") < 5 {
		return swimRow{}, fmt.Errorf("%d columns, want 6", len(f))
	}
	var n [5]float64
	for i := range n {
		x, err := strconv.ParseFloat(f[i+1], 64)
		if err != nil || math.IsNaN(x) || x < 0 && i != 1 || x > 1e18 {
			return swimRow{}, fmt.Errorf("column %d is not a number of the kind that stands there: %.40q", i+2, f[i+1])
		}
		n[i] = x
	}
	if n[0] > maxTime/1000 {
		return swimRow{}, fmt.Errorf("column 2 is not a time: %.40q", f[1])
	}
	return swimRow{f[0], n[0], n[2], n[3], n[4]}, nil
}

func (im *Import) swim(path string, r *bufio.Reader) error {
	limit, rates := false, im.opt.SWIM.filled()
	im.each(path, r, func(n int64, line []byte) {
		if len(strings.TrimSpace(string(line))) == 0 {
			return
		}
		row, err := swimLine(string(line))
		if err == nil {
			err = rates.check(&row)
		}
		switch {
		case err != nil:
			im.damage(path, n, "%v", err)
		case len(im.tables) >= im.opt.MaxJobs:
			if !limit {
				im.damage(path, n, "too many jobs")
			}
			limit = true
		default:
			im.tables = append(im.tables, row)
		}
	})
	if im.tables == nil {
		im.tables = []swimRow{}
	}
	return nil
}

// swimSource makes the tasks of a row when its job is asked for.
type swimSource struct {
	rows  []swimRow
	rates Rates
	n     int
	ids   map[string]bool
}

// maxSwimTasks bounds the tasks of a kind that one job has.
const maxSwimTasks = 5e6

// tasks counts maps and reduces by SWIM's rule: the input padded to whole blocks, at least one, a map for each; reduces =
// round((shuffle + output) / BytesPerReduce), at least one.
func (k *Rates) tasks(row *swimRow) (maps, reduces float64) {
	maps, reduces = max(1, math.Ceil(row.in/float64(k.Block))), max(1, math.Round((row.mid+row.result)/float64(k.BytesPerReduce)))
	if k.MapOnly && row.mid == 0 {
		reduces = 0
	}
	return maps, reduces
}

func (k *Rates) check(row *swimRow) error {
	maps, reduces := k.tasks(row)
	switch {
	case maps > maxSwimTasks:
		return fmt.Errorf("%.0f bytes of input make %.0f maps, want at most %.0f: a larger block makes fewer", row.in, maps, maxSwimTasks)
	case reduces > maxSwimTasks:
		return fmt.Errorf("%.0f bytes of shuffle and output make %.0f reduces, want at most %.0f: more bytes per reduce make fewer", row.mid+row.result, reduces, maxSwimTasks)
	}
	return nil
}

// filled puts in the defaults.
func (k Rates) filled() Rates {
	if k.Block <= 0 {
		k.Block = 64 << 20
	}
	if k.BytesPerReduce <= 0 {
		k.BytesPerReduce = 64 << 20
	}
	for _, rate := range []*float64{&k.Map, &k.Shuffle, &k.Reduce} {
		if *rate <= 0 {
			*rate = 5
		}
	}
	if k.Overhead <= 0 {
		k.Overhead = 2000
	}
	return k
}

func newSwim(rows []swimRow, r *Rates) *swimSource {
	slices.SortStableFunc(rows, func(a, b swimRow) int { return cmp.Compare(a.submit, b.submit) })
	return &swimSource{rows: rows, rates: r.filled(), ids: make(map[string]bool, len(rows))}
}

// Next expands the next row.
func (s *swimSource) Next() (*trace.Job, error) {
	if s.n == len(s.rows) {
		return nil, io.EOF
	}
	row := &s.rows[s.n]
	s.n++
	maps, reduces := s.rates.tasks(row)
	j := &trace.Job{ID: s.unique(row.id), Name: row.id, User: "swim", Queue: "default", Submit: int64(math.Round(row.submit * 1000)),
		State: job.Succeeded, Input: int64(row.in), Shuffled: int64(row.mid), Output: int64(row.result),
		Maps: make([]trace.Map, int(maps)), Reduces: make([]trace.Reduce, int(reduces))}
	s.times(j)
	return j, nil
}

// unique makes an id that no job before had.
func (s *swimSource) unique(id string) string {
	for n := 2; s.ids[id]; n++ {
		id = fmt.Sprintf("%s-%d", strings.TrimSuffix(id, fmt.Sprintf("-%d", n-1)), n)
	}
	s.ids[id] = true
	return id
}

func (s *swimSource) times(j *trace.Job) {
	r := generate.Stream(s.rates.Seed, "swim", s.n)
	draw := func(bytes int64, rate float64, overhead float64) int64 {
		ms := overhead + float64(bytes)/1e6/rate*1000
		if s.rates.Spread > 0 && ms > 0 {
			ms = dist.LogNormalOf(ms, ms*s.rates.Spread).Draw(r)
		}
		return int64(min(maxTime, math.Round(ms)))
	}
	left := max(j.Input, 1)
	each := min(s.rates.Block, left)
	for i := range j.Maps {
		j.Maps[i] = trace.Map{Time: draw(each, s.rates.Map, s.rates.Overhead), Input: each}
	}
	if len(j.Reduces) == 0 {
		return
	}
	n := int64(len(j.Reduces))
	for i := range j.Reduces {
		j.Reduces[i] = trace.Reduce{First: true, Input: j.Shuffled / n,
			Shuffle: draw(j.Shuffled/n, s.rates.Shuffle, 0),
			Time:    draw((j.Shuffled+j.Output)/n, s.rates.Reduce, s.rates.Overhead)}
	}
}
