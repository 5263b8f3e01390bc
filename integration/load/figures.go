package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// samples collects durations. It is safe for concurrent use.
type samples struct {
	mu     sync.Mutex
	all    []time.Duration
	failed int
}

func (s *samples) add(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, d)
}

// time adds the duration of f. If f fails, time only counts the failure, because an overloaded
// machine lets calls time out.
func (s *samples) time(f func() error) {
	begun := time.Now()
	if f() == nil {
		s.add(time.Since(begun))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed++
}

func (s *samples) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all, s.failed = s.all[:0], 0
}

// spread summarizes durations in a report.
type spread struct {
	Count  int     `json:"count"`
	Failed int     `json:"failed,omitempty"`
	Median float64 `json:"p50_ms"`
	High   float64 `json:"p99_ms"`
}

func (s *samples) spread() spread {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return spread{Failed: s.failed}
	}
	slices.Sort(s.all)
	at := func(share float64) float64 { return ms(s.all[int(share*float64(len(s.all)-1))]) }
	return spread{len(s.all), s.failed, at(0.5), at(0.99)}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// bucket is a bucket of a Prometheus histogram.
type bucket struct {
	upTo  float64 // upper limit, in seconds
	count float64 // number of observations up to this limit
}

// histogram reads a histogram without labels from the text of a /metrics page.
func histogram(text, name string) (h []bucket, err error) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, name+`_bucket{le="`)
		if !ok {
			continue
		}
		limit, count, _ := strings.Cut(strings.TrimSpace(rest), `"} `)
		var b bucket
		if b.upTo, err = strconv.ParseFloat(limit, 64); err != nil {
			return nil, err
		}
		if b.count, err = strconv.ParseFloat(count, 64); err != nil {
			return nil, err
		}
		h = append(h, b)
	}
	if len(h) == 0 {
		return nil, fmt.Errorf("the JobTracker has no metric %s", name)
	}
	return h, nil
}

// between returns the spread of the observations between two readings of a histogram. It
// interpolates linearly within a bucket. A value in the last bucket is reported as the bucket's
// lower limit.
func between(before, after []bucket) spread {
	counts := make([]float64, len(after))
	for i := range after {
		counts[i] = after[i].count - before[i].count
	}
	total := counts[len(counts)-1]
	if total == 0 {
		return spread{}
	}
	at := func(share float64) float64 {
		want, low, below := share*total, 0.0, 0.0
		for i, b := range after[:len(after)-1] {
			if counts[i] >= want {
				return 1000 * (low + (b.upTo-low)*(want-below)/(counts[i]-below))
			}
			low, below = b.upTo, counts[i]
		}
		return 1000 * low
	}
	return spread{int(total), 0, at(0.5), at(0.99)}
}

// value reads a metric without labels from the text of a /metrics page.
func value(text, name string) (float64, error) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(rest), 64)
		}
	}
	return 0, fmt.Errorf("the JobTracker has no metric %s", name)
}
