package fs

import (
	"strconv"
	"sync"
)

// maxThreads is the maximum number of concurrent copies.
const maxThreads = 1024

// threads returns the value of -t, limited to the range from 1 to maxThreads, or 1 without -t.
func (s *shell) threads(o options) (int, error) {
	text, ok := o["t"]
	if !ok {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, usagef("For input string: %q", text)
	}
	return min(max(n, 1), maxThreads), nil
}

// pool copies several files concurrently. Only one goroutine may call submit and atEnd.
type pool struct {
	work   chan func() error
	done   sync.WaitGroup
	report func(error)
	ends   []func() error
}

func newPool(n int, report func(error)) *pool {
	p := &pool{work: make(chan func() error), report: report}
	for range n {
		p.done.Go(func() {
			for do := range p.work {
				if err := do(); err != nil {
					report(err)
				}
			}
		})
	}
	return p
}

func (p *pool) submit(do func() error) { p.work <- do }

// atEnd schedules do to run after all files are copied.
func (p *pool) atEnd(do func() error) { p.ends = append(p.ends, do) }

func (p *pool) wait() {
	close(p.work)
	p.done.Wait()
	for _, do := range p.ends {
		if err := do(); err != nil {
			p.report(err)
		}
	}
}
