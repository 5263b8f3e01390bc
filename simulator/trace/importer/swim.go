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

// Rates supplies the tasks and their durations, which SWIM's tables lack.
type Rates struct {
	Block          int64   // bytes of input per map; 0 means 64 MiB
	BytesPerReduce int64   // bytes of shuffle and output per reduce; 0 means 64 MiB
	Map            float64 // MB/s that a map reads; 0 means 5
	Shuffle        float64 // MB/s that a reduce fetches and sorts; 0 means 5
	Reduce         float64 // MB/s that a reduce reads and writes; 0 means 5
	Overhead       float64 // additional ms per task, at least 0
	Spread         float64 // coefficient of variation of times (lognormal); 0 means no variation
	MapOnly        bool    // jobs without shuffle have no reduce; SWIM gives them one
	Seed           uint64  // random seed for the variation
}

// swimRow is one row of a table, which describes a job.
type swimRow struct {
	id              string
	submit          float64 // seconds
	in, mid, result float64 // bytes
}

// swimLine parses a row, which contains the job's ID, submission, gap, and bytes of input, shuffle,
// and output.
func swimLine(line string) (swimRow, error) {
	f := strings.Fields(line)
	if len(f) < 6 || strings.Count(line, "\t") < 5 {
		return swimRow{}, fmt.Errorf("%d columns, want 6", len(f))
	}
	var n [5]float64
	for i := range n {
		x, err := strconv.ParseFloat(f[i+1], 64)
		if err != nil || math.IsNaN(x) || x < 0 && i != 1 || x > 1e18 {
			return swimRow{}, fmt.Errorf("column %d is not a valid number: %.40q", i+2, f[i+1])
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

// swimSource is a source that expands each row on demand.
type swimSource struct {
	rows  []swimRow
	rates Rates
	n     int
	ids   map[string]bool
}

// maxSwimTasks limits the number of a job's tasks of one kind.
const maxSwimTasks = 5e6

// tasks returns the numbers of maps and reduces according to SWIM's rule. There is one map per
// block of the input, rounded up. The number of reduces is round((shuffle + output) /
// BytesPerReduce). Both numbers are at least one, except that MapOnly removes the reduces of jobs
// without shuffle.
func (k *Rates) tasks(row *swimRow) (maps, reduces float64) {
	maps, reduces = max(1, math.Ceil(row.in/float64(k.Block))),
		max(1, math.Round((row.mid+row.result)/float64(k.BytesPerReduce)))
	if k.MapOnly && row.mid == 0 {
		reduces = 0
	}
	return maps, reduces
}

func (k *Rates) check(row *swimRow) error {
	maps, reduces := k.tasks(row)
	switch {
	case maps > maxSwimTasks:
		return fmt.Errorf("%.0f bytes of input make %.0f maps, want at most %.0f: use larger blocks", row.in, maps,
			maxSwimTasks)
	case reduces > maxSwimTasks:
		return fmt.Errorf("%.0f bytes of shuffle and output make %.0f reduces, want at most %.0f: use more bytes per "+
			"reduce", row.mid+row.result, reduces, maxSwimTasks)
	}
	return nil
}

// filled returns the rates with defaults for missing values.
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
	return k
}

func newSwim(rows []swimRow, r *Rates) *swimSource {
	slices.SortStableFunc(rows, func(a, b swimRow) int { return cmp.Compare(a.submit, b.submit) })
	return &swimSource{rows: rows, rates: r.filled(), ids: make(map[string]bool, len(rows))}
}

// Next returns the job of the next row.
func (s *swimSource) Next() (*trace.Job, error) {
	if s.n == len(s.rows) {
		return nil, io.EOF
	}
	row := &s.rows[s.n]
	s.n++
	maps, reduces := s.rates.tasks(row)
	j := &trace.Job{ID: s.unique(row.id), Name: row.id, User: "swim", Queue: "default",
		Submit: int64(math.Round(row.submit * 1000)),
		State:  job.Succeeded, Input: int64(row.in), Shuffled: int64(row.mid), Output: int64(row.result),
		Maps: make([]trace.Map, int(maps)), Reduces: make([]trace.Reduce, int(reduces))}
	s.times(j)
	return j, nil
}

// unique returns an ID that differs from the IDs of all earlier jobs.
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
