package webui

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// shuffle is a heat map of the bytes that reduces fetched: a row for each TaskTracker, or for several
// whose names follow each other, and a column for each reduce, or for a range of them. The rows also show
// where the map outputs lie. The JobTracker does not know how many bytes a pair of TaskTrackers exchanged.
type shuffle struct {
	Rows    []*shuffleRow
	Reduces int32 // number of the job's reduces
	Each    int32 // number of reduces of a column
	Most    int64 // bytes of the darkest cell
	Width   int
}

// shuffleRow has sums of the attempts of one type: of map outputs, and of what reduces fetched.
type shuffleRow struct {
	Name     string
	Attempts [2]int
	Bytes    [2]int64
	Part     [2]float32 // Bytes as a fraction of the largest sum
	Cells    []heat
	fetched  [shuffleCells]int64
	reduces  [shuffleCells]int
}

// heat is a cell. Shade is from 0 to 1.
type heat struct {
	X, W, Shade float64
	Text        string
}

const (
	shuffleRows  = 25 // maximum number of rows
	shuffleCells = 50 // maximum number of columns
	shuffleWidth = 500
)

// newShuffle returns the heat map of a job's succeeded and running attempts.
func newShuffle(j *status.Job) *shuffle {
	s := &shuffle{Reduces: j.Reduces.Total, Each: max(1, (j.Reduces.Total+shuffleCells-1)/shuffleCells),
		Width: shuffleWidth}
	var moved []*status.Attempt
	rowOf := map[string]int{}
	for _, a := range j.Attempts {
		if a.ShuffleBytes > 0 && (a.State == job.AttemptSucceeded || a.State == job.AttemptRunning) {
			moved, rowOf[a.Tracker] = append(moved, a), 0
		}
	}
	for _, name := range groupNames(rowOf, shuffleRows) {
		s.Rows = append(s.Rows, &shuffleRow{Name: name})
	}
	var most [2]int64
	for _, a := range moved {
		r, typ := s.Rows[rowOf[a.Tracker]], a.ID.Type
		r.Attempts[typ]++
		r.Bytes[typ] += a.ShuffleBytes
		most[typ] = max(most[typ], r.Bytes[typ])
		if c := a.ID.Index / s.Each; typ == job.Reduce && c < shuffleCells {
			r.fetched[c] += a.ShuffleBytes
			r.reduces[c]++
			s.Most = max(s.Most, r.fetched[c])
		}
	}
	for _, r := range s.Rows {
		for typ := range r.Part {
			r.Part[typ] = float32(r.Bytes[typ]) / float32(max(1, most[typ]))
		}
		s.shade(r)
	}
	return s
}

// Last returns the number of the last reduce.
func (s *shuffle) Last() int32 { return s.Reduces - 1 }

// shade adds the cells of a row.
func (s *shuffle) shade(r *shuffleRow) {
	columns := (s.Reduces + s.Each - 1) / s.Each
	for c := range columns {
		if r.reduces[c] == 0 {
			continue
		}
		first, last := c*s.Each, min((c+1)*s.Each, s.Reduces)-1
		text := fmt.Sprintf("reduce %d: %s bytes", first, thousand(r.fetched[c]))
		if first < last {
			text = fmt.Sprintf("%s of %d to %d: %s bytes", plural.Of(r.reduces[c], "reduce"), first, last,
				thousand(r.fetched[c]))
		}
		x := tenth(float64(c) / float64(columns) * shuffleWidth)
		r.Cells = append(r.Cells, heat{X: x, W: tenth(float64(c+1)/float64(columns)*shuffleWidth - x - 1),
			Shade: tenth(10*float64(r.fetched[c])/float64(s.Most)) / 10, Text: text})
	}
}

// shufflePage returns the heat map of the job j, which the caller may see. Requests share it.
func shufflePage(ctx context.Context, jobs source, shared *recent, j *status.Job) (*shuffle, error) {
	type key struct {
		id    job.ID
		state job.State
	}
	k := key{j.ID, j.State}
	if s, ok := shared.get(k).(*shuffle); ok {
		return s, nil
	}
	j, err := jobs.Status(ctx, j.ID, status.Query{Attempts: true})
	if err != nil {
		return nil, err
	}
	s := newShuffle(j)
	shared.keep(k, s, len(j.Attempts))
	return s, nil
}
