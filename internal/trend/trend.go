// Package trend keeps how amounts changed over time, in bounded memory: the older the record is, the
// longer are its intervals.
package trend

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxPoints is the number of points at which pairs of points are merged.
	maxPoints = 480
	// fewPoints is the same for a Recorder from NewSmall.
	fewPoints = 120
	// maxSeries is the maximum number of series. Others are ignored.
	maxSeries = 64
)

// Value is an amount at a time, such as the slots of a pool.
type Value struct {
	Used     float32
	Borrowed float32 // part of Used that exceeds what the owner of the series has a right to
	Limit    float32 // share, or total; 0 means none
	Need     float32 // amount that the owner could use; 0 means unknown
}

// Series is the values of one name.
type Series struct {
	Name   string
	Values []Value // one for each of Record.Times
}

// Record is a copy of what a Recorder has kept.
type Record struct {
	Times  []int64 // in ms since the epoch
	Series []Series
}

// Recorder collects values. Create it with New. It is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex
	times   []int64
	series  []Series
	points  int // number of points at which pairs are merged
	every   int // number of samples that make a point
	pending int // number of samples in the last point
}

// New returns an empty Recorder.
func New() *Recorder { return &Recorder{points: maxPoints, every: 1} }

// NewSmall returns an empty Recorder with fewer points, for pages that show many records.
func NewSmall() *Recorder { return &Recorder{points: fewPoints, every: 1} }

// Add adds a sample: the values of all series at a time, in ms since the epoch. A series that is
// missing has the value 0.
func (r *Recorder) Add(at int64, sample map[string]Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending == 0 || r.pending == r.every {
		if len(r.times) == r.points {
			r.merge()
		}
		r.pending = 0
		r.times = append(r.times, at)
		for i := range r.series {
			r.series[i].Values = append(r.series[i].Values, Value{})
		}
	}
	for name := range sample {
		if _, known := r.find(name); !known && len(r.series) < maxSeries {
			r.series = append(r.series, Series{name, make([]Value, len(r.times))})
			slices.SortFunc(r.series, byName)
		}
	}
	for i := range r.series {
		s := &r.series[i]
		last := &s.Values[len(s.Values)-1]
		*last = last.mean(r.pending, sample[s.Name], 1)
	}
	r.pending++
}

func byName(a, b Series) int { return strings.Compare(a.Name, b.Name) }

func (r *Recorder) find(name string) (int, bool) {
	return slices.BinarySearchFunc(r.series, Series{Name: name}, byName)
}

// mean returns the mean of n samples with the mean v and m samples with the mean o.
func (v Value) mean(n int, o Value, m int) Value {
	f := float32(m) / float32(n+m)
	return Value{v.Used + f*(o.Used-v.Used), v.Borrowed + f*(o.Borrowed-v.Borrowed), v.Limit + f*(o.Limit-v.Limit),
		v.Need + f*(o.Need-v.Need)}
}

// merge replaces each pair of points with one, and removes series without a value.
func (r *Recorder) merge() {
	r.every *= 2
	half := len(r.times) / 2
	for i := range half {
		r.times[i] = r.times[2*i]
	}
	r.times = r.times[:half]
	for k := range r.series {
		s := &r.series[k]
		for i := range half {
			s.Values[i] = s.Values[2*i].mean(1, s.Values[2*i+1], 1)
		}
		s.Values = s.Values[:half]
	}
	r.series = slices.DeleteFunc(r.series, func(s Series) bool {
		return !slices.ContainsFunc(s.Values, func(v Value) bool { return v != Value{} })
	})
}

// Record returns a copy of the values. Series are sorted by name.
func (r *Recorder) Record() Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := Record{Times: slices.Clone(r.times)}
	for _, s := range r.series {
		out.Series = append(out.Series, Series{s.Name, slices.Clone(s.Values)})
	}
	return out
}

// every is the time between two samples.
const every = 5 * time.Second

// Run adds a sample at once and then every 5 s, until ctx ends. It leaves out samples that fail.
func (r *Recorder) Run(ctx context.Context, sample func(context.Context) (map[string]Value, error)) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if s, err := sample(ctx); err == nil {
			r.Add(time.Now().UnixMilli(), s)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
