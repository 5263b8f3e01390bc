package tasklevel

import (
	"errors"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// Network makes reduces fetch their input over a network, in which the reduces of all jobs share the
// bandwidth of the trackers. Each map of a job contributes the same part of trace.Reduce.Input. A
// reduce fetches the output of a map as soon as the map has ended, and does not need the network for
// maps that ran on its own tracker. The trace's shuffle is the time that the reduce needs after the
// last output has arrived.
type Network struct {
	Rate   int64 // bytes per second that a tracker sends in all of its transfers; at least 1
	Copies int   // maximum number of trackers from which a reduce fetches at the same time; at least 1
}

func (n *Network) validate(c *Config) error {
	bad := func(why string) error { return failure.New(failure.Config, "simulate", "network", errors.New(why)) }
	switch {
	case n == nil:
		return nil
	case n.Rate < 1 || n.Copies < 1:
		return bad("want a rate and a number of copies of at least 1")
	case c.Start != nil || c.Model == replay.Mumak:
		return bad("it cannot be set together with a start or Mumak's model")
	}
	return nil
}

// network is the state of a Network in a run. The engine has none if reduces need no network.
type network struct {
	Network
	senders []sender // by tracker
	jobs    map[int32]*sent
	fetches map[job.Task]*fetch // of running reduces
	vacated []int32             // trackers on which an attempt has just ended
	order   []int32             // all trackers
}

// sent holds what a job sends.
type sent struct {
	maps   []int32 // trackers of the maps that have ended, in this order
	inputs []int64 // bytes, by reduce
}

// sender is a tracker that sends map output. Like howdah's throttled servers, it sends one piece of
// each transfer in turn.
type sender struct {
	queue []*transfer
	next  float64 // time in ms at which the piece of the first transfer has been sent
}

// transfer is the transmission of the output of some maps on one tracker to one reduce.
type transfer struct {
	to   *fetch // nil if the reduce has ended
	from *source
	maps int32
	rest int32   // maps whose output has not been sent
	left float64 // bytes of the current map that have not been sent

	bytes float64 // of each map
}

// fetch is the shuffle of a running reduce.
type fetch struct {
	task    *task
	place   place
	bytes   float64 // from each map
	left    int32   // maps whose output has not arrived
	active  int     // number of transfers
	sources []*source
	done    int64 // time at which the last output arrived; 0 = not yet
}

// source is a tracker from which a reduce fetches. Like howdah's reduces, a reduce visits the
// sources in the order of their first outputs, and then in turn.
type source struct {
	tracker int32
	waiting int32 // maps whose output the reduce can request
	busy    bool
}

func (n *Network) begin(trackers int) *network {
	if n == nil {
		return nil
	}
	order := make([]int32, trackers)
	for i := range order {
		order[i] = int32(i) + 1
	}
	return &network{Network: *n, order: order, senders: make([]sender, trackers), jobs: map[int32]*sent{},
		fetches: map[job.Task]*fetch{}}
}

func (n *network) arrived(seq int32, tj *trace.Job) {
	s := &sent{inputs: make([]int64, len(tj.Reduces))}
	for i := range tj.Reduces {
		s.inputs[i] = tj.Reduces[i].Input
	}
	n.jobs[seq] = s
}

// due returns the time at which the next transfer ends.
func (n *network) due() int64 {
	at := int64(never)
	for i := range n.senders {
		if s := &n.senders[i]; len(s.queue) > 0 {
			at = min(at, int64(math.Ceil(s.next)))
		}
	}
	return at
}

// launched starts the shuffle of the reduce.
func (n *network) launched(e *engine, t *task, i place) {
	id := t.attempt.ID.Task
	s, maps := n.jobs[id.Job], e.jobs.Get(id.Job).view.Tasks[job.Map]
	f := &fetch{task: t, place: i, left: maps, bytes: float64(s.inputs[id.Index]) / float64(max(1, maps))}
	t.filler, n.fetches[id] = true, f
	for _, tracker := range s.maps {
		f.add(tracker)
		n.fetch(e, f)
	}
	n.fetch(e, f)
}

// mapped makes the output of a map, which ended on the tracker, available to the job's reduces.
func (n *network) mapped(e *engine, j *jobState, tracker int32) {
	s := n.jobs[j.view.Seq]
	s.maps = append(s.maps, tracker)
	for i := j.oldest[job.Reduce]; i != waiting; i = e.pool.at(i).after {
		if f := n.fetches[e.pool.at(i).attempt.ID.Task]; f != nil {
			f.add(tracker)
			n.fetch(e, f)
		}
	}
}

// fetched returns the time at which the last output arrived at the running reduce, or other if the
// reduce does not need the network.
func (n *network) fetched(id job.Task, other int64) int64 {
	if n == nil || n.fetches[id] == nil {
		return other
	}
	return n.fetches[id].done
}

// stopped handles the end of an attempt on the tracker. It forgets the shuffle of a reduce.
func (n *network) stopped(id job.Task, tracker int32) {
	n.vacated = append(n.vacated, tracker)
	f := n.fetches[id]
	if f == nil {
		return
	}
	delete(n.fetches, id)
	for i := range n.senders {
		for _, x := range n.senders[i].queue {
			if x.to == f {
				x.to = nil
			}
		}
	}
}

func (f *fetch) add(tracker int32) {
	if tracker == f.task.attempt.Tracker {
		f.left--
		return
	}
	i := slices.IndexFunc(f.sources, func(s *source) bool { return s.tracker == tracker })
	if i < 0 {
		i = len(f.sources)
		f.sources = append(f.sources, &source{tracker: tracker})
	}
	f.sources[i].waiting++
}

// fetch starts the transfers that the reduce can start, or ends its shuffle.
func (n *network) fetch(e *engine, f *fetch) {
	for i := 0; i < len(f.sources) && f.active < n.Copies; {
		s := f.sources[i]
		if s.busy || s.waiting == 0 {
			i++
			continue
		}
		f.sources = append(slices.Delete(f.sources, i, i+1), s)
		f.active++
		x := &transfer{to: f, from: s, maps: s.waiting, rest: s.waiting, left: f.bytes, bytes: f.bytes}
		s.busy, s.waiting = true, 0
		to := &n.senders[s.tracker-1]
		if to.queue = append(to.queue, x); len(to.queue) == 1 {
			to.next = float64(e.now) + n.time(x)
		}
	}
	if f.left == 0 && f.done == 0 {
		f.done, f.task.filler = e.now, false
		id := f.task.attempt.ID.Task
		j := e.jobs.Get(id.Job)
		shuffle, rest := j.times.Reduce(id.Index, f.task.attempt.Start < j.result.MapsDone)
		e.foresee(f.task, f.place, e.now+shuffle+rest, false)
	}
}

// offer calls the policy for each tracker with a suitable slot. The places of maps and reduces
// determine which trackers send how much. Therefore, the trackers on which an attempt has just ended
// come first, because they send the next heartbeats. The others follow in a random order.
func (n *network) offer(e *engine) {
	for _, handle := range n.vacated {
		n.fill(e, handle)
	}
	n.vacated = n.vacated[:0]
	for i := 0; i < len(n.order) && e.pending != [2]int64{}; i++ {
		k := i + replay.Below(replay.Draw(e.cfg.Seed, replay.StreamStagger, uint64(e.now), uint64(i)), len(n.order)-i)
		n.order[i], n.order[k] = n.order[k], n.order[i]
		n.fill(e, n.order[i])
	}
}

func (n *network) fill(e *engine, handle int32) {
	if t := e.Tracker(handle); e.suits(t, job.Map) || e.suits(t, job.Reduce) {
		e.fill(t)
	}
}

// act sends the pieces that are due.
func (n *network) act(e *engine) {
	for i := range n.senders {
		for s := &n.senders[i]; len(s.queue) > 0 && s.next <= float64(e.now); {
			n.sent(e, s)
		}
	}
}

// sent handles the end of a piece.
func (n *network) sent(e *engine, s *sender) {
	x := s.queue[0]
	s.queue = s.queue[1:]
	if x.left -= n.piece(x); x.left <= 0 {
		x.rest, x.left = x.rest-1, x.bytes
	}
	if x.rest > 0 && x.to != nil {
		s.queue = append(s.queue, x)
	}
	if len(s.queue) > 0 {
		s.next += n.time(s.queue[0])
	}
	if x.rest == 0 && x.to != nil {
		x.from.busy = false
		x.to.active--
		x.to.left -= x.maps
		n.fetch(e, x.to)
	}
}

// piece returns the bytes of the transfer's next piece. It is at most what the sender sends in 100 ms.
func (n *network) piece(x *transfer) float64 { return min(x.left, float64(n.Rate)/10) }

// time returns the time in ms that the sender needs for the transfer's next piece.
func (n *network) time(x *transfer) float64 { return n.piece(x) / float64(n.Rate) * 1000 }
