package shuffle

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// plan decides which outputs to fetch, from which hosts, and when. It belongs to one goroutine.
// Fetches run concurrently and report to the plan through events.
type plan struct {
	cfg    *Config
	maps   []mapState
	hosts  map[string]*host
	queue  []*host // in the order in which to send the next requests
	left   int     // number of maps that are not done
	active int
	events chan event
}

type mapState struct {
	known    bool
	done     bool
	attempt  int32
	addr     string
	failures int
}

type host struct {
	addr     string
	name     string // name of the machine, as in the server's certificate
	pending  []target
	retry    []target // targets that failed in the current fetch, to queue after the untried targets
	busy     bool
	failures int // consecutive failures
	until    time.Time
}

// event is a report from a fetch. It reports that a target's output has been fetched (cause is
// nil), that fetching a target has failed, or that the fetch has ended.
type event struct {
	host   *host
	target target
	cause  *cause
	ended  bool
	rest   []target // not tried
}

// perFetch is the maximum number of maps in one request, as in Hadoop.
const perFetch = 20

func newPlan(cfg *Config) *plan {
	return &plan{cfg: cfg, maps: make([]mapState, cfg.Maps), hosts: map[string]*host{}, left: int(cfg.Maps),
		events: make(chan event)}
}

// run fetches outputs until no map is left. Any fetches that are still in progress at that point
// are no longer needed. The caller can wait for them with wg.
func (p *plan) run(ctx context.Context, f *fetcher, wg *sync.WaitGroup) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	completions := p.cfg.Events
	for p.left > 0 {
		p.dispatch(ctx, f, wg, timer)
		select {
		case c, ok := <-completions:
			if !ok {
				completions = nil
			} else {
				p.completed(c)
			}
		case e := <-p.events:
			if err := p.handle(e); err != nil {
				return err
			}
		case <-timer.C:
		case <-ctx.Done():
			return failure.New(failure.KindOf(ctx.Err()), "shuffle", p.cfg.Job.String(), context.Cause(ctx))
		case <-f.store.broken:
			return f.store.firstError()
		}
	}
	return nil
}

// completed applies c, an entry of the job's list of completions, to the plan. If c announces a new
// output that is still needed, completed queues the output for fetching.
func (p *plan) completed(c Completion) {
	if c.Map < 0 || int(c.Map) >= len(p.maps) {
		return
	}
	m := &p.maps[c.Map]
	if m.done {
		return // an output already taken stays valid because all attempts of a map produce the same output
	}
	if c.Attempt < 0 {
		m.done = true
		p.left--
		p.cfg.Progress(len(p.maps)-p.left, len(p.maps))
		return
	}
	if c.Obsolete {
		if m.known && m.attempt == c.Attempt {
			m.known = false
		}
		return
	}
	if m.known && m.attempt == c.Attempt && m.addr == c.Addr {
		return // reported twice
	}
	*m = mapState{known: true, attempt: c.Attempt, addr: c.Addr}
	h := p.hosts[c.Addr]
	if h == nil {
		h = &host{addr: c.Addr, name: c.Host}
		p.hosts[c.Addr] = h
		p.queue = append(p.queue, h)
	}
	h.pending = append(h.pending, target{c.Map, c.Attempt})
}

// wanted reports whether t's output still has to be fetched from h.
func (p *plan) wanted(h *host, t target) bool {
	m := &p.maps[t.mapIndex]
	return m.known && !m.done && m.attempt == t.attempt && m.addr == h.addr
}

// dispatch starts fetches from available hosts, up to the limit on concurrent fetches. It sets the
// timer to the time at which the first pause of a host ends.
func (p *plan) dispatch(ctx context.Context, f *fetcher, wg *sync.WaitGroup, timer *time.Timer) {
	now := time.Now()
	next := time.Hour
	for i := 0; i < len(p.queue) && p.active < p.cfg.Copies; {
		h := p.queue[i]
		if h.busy || len(h.pending) == 0 {
			i++
			continue
		}
		if pause := h.until.Sub(now); pause > 0 {
			next = min(next, pause)
			i++
			continue
		}
		batch := h.take(p)
		if len(batch) == 0 {
			continue
		}
		h.busy = true
		p.active++
		// The host moves to the end of the queue, so all hosts get a turn.
		p.queue = append(append(p.queue[:i:i], p.queue[i+1:]...), h)
		wg.Go(func() { p.fetch(ctx, f, h, batch) })
	}
	timer.Reset(next)
}

// take removes the host's next targets from the pending ones and returns those that are still
// wanted, at most perFetch.
func (h *host) take(p *plan) []target {
	var batch []target
	for len(h.pending) > 0 && len(batch) < perFetch {
		if t := h.pending[0]; p.wanted(h, t) {
			batch = append(batch, t)
		}
		h.pending = h.pending[1:]
	}
	return batch
}

// fetch fetches batch from h and sends the results to p.events. It runs in its own goroutine.
func (p *plan) fetch(ctx context.Context, f *fetcher, h *host, batch []target) {
	send := func(e event) {
		select {
		case p.events <- e:
		case <-ctx.Done():
		}
	}
	tried := 0
	f.fetch(atHost(ctx, h.name), h.addr, batch, func(t target, c *cause) {
		tried++ // results arrive in the order of the targets
		send(event{host: h, target: t, cause: c})
	})
	send(event{host: h, ended: true, rest: batch[tried:]})
}

func (p *plan) handle(e event) error {
	h := e.host
	if e.ended {
		h.busy = false
		p.active--
		h.pending = append(append(h.pending, e.rest...), h.retry...)
		h.retry = nil
		return nil
	}
	m := &p.maps[e.target.mapIndex]
	if e.cause == nil {
		h.failures = 0
		if m.done {
			return nil // two attempts were fetched, and the store kept the first
		}
		m.done = true
		p.left--
		p.cfg.Counters.Inc(job.ShuffledMaps, 1)
		p.cfg.Progress(len(p.maps)-p.left, len(p.maps))
		return nil
	}
	if e.cause.fatal {
		return e.cause.err
	}
	return p.failed(h, m, e)
}

// failed handles a failed fetch of a target. It queues the target again, pauses the target's host,
// and reports the failure if necessary. After too many failed fetches of the map's output, it
// returns an error.
func (p *plan) failed(h *host, m *mapState, e event) error {
	p.cfg.Counters.Inc(job.FailedShuffle, 1)
	p.cfg.Counters.Inc(e.cause.counter, 1)
	now := time.Now()
	if !h.until.After(now) { // one pause for all targets of a request
		h.until = now.Add(pause(p.cfg.RetryBase, p.cfg.RetryMax, h.failures))
		h.failures++
	}
	if !p.wanted(h, e.target) {
		return nil
	}
	h.retry = append(h.retry, e.target)
	m.failures++
	p.cfg.Log("fetching the output of map %d, attempt %d, from %s failed (%d times now): %v", e.target.mapIndex,
		e.target.attempt, h.addr, m.failures, e.cause.err)
	if !e.cause.connect || m.failures%p.cfg.MaxFetchFailures == 0 {
		p.cfg.FetchFailed(e.target.mapIndex, e.target.attempt)
	}
	if limit := max(30, len(p.maps)/10); m.failures >= limit {
		return failure.New(failure.KindOf(e.cause.err), "shuffle", p.cfg.Job.String(),
			fmt.Errorf("the output of map %d could not be fetched in %d attempts: %w", e.target.mapIndex, m.failures,
				e.cause.err))
	}
	return nil
}

// pause returns how long to pause after a host's n-th consecutive failure, counting from 0.
func pause(base, limit time.Duration, n int) time.Duration {
	d := float64(base)
	for ; n > 0 && d < float64(limit); n-- {
		d *= 1.3
	}
	return min(time.Duration(d), limit)
}
