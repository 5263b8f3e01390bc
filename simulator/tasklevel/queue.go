package tasklevel

import "math/bits"

// ending is the end of a running attempt: the only kind of event that lies in the future, besides the next job's arrival.
// All others follow at once from one of these two.
type ending struct {
	at    int64
	order uint64 // of ends at the same time, the one that was foreseen first comes first
	task  *task  // whose order is another one if the attempt was killed
}

// queue is a heap of ends by time. Four children a node: half as deep as two, and they lie side by side.
type queue []ending

func (a *ending) before(b *ending) bool { return a.at < b.at || a.at == b.at && a.order < b.order }

func (q *queue) push(x ending) {
	*q = append(*q, x)
	q.fill(len(*q)-1, x)
}

// pop takes the first out. The hole that it leaves sinks to the bottom, where the last entry, which mostly belongs there, fills
// it: fewer comparisons than sinking that entry from the top.
func (q *queue) pop() ending {
	h := *q
	top := h[0]
	n := len(h) - 1
	x := h[n]
	h = h[:n]
	*q = h
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		best := child
		if child+4 <= n {
			best += least((*[4]ending)(h[child:]))
		} else {
			for c := child + 1; c < n; c++ {
				if h[c].before(&h[best]) {
					best = c
				}
			}
		}
		h[i] = h[best]
		i = best
	}
	if n > 0 {
		h.fill(i, x)
	}
	return top
}

// least gives the first of four, without branches: which one it is nobody can foretell, the processor neither.
func least(of *[4]ending) int {
	const sign = 1 << 63 // signed numbers order like unsigned ones with the sign turned
	best, at, order := uint64(0), uint64(of[0].at)^sign, of[0].order
	for c := uint64(1); c < 4; c++ {
		x := &of[c]
		t := uint64(x.at) ^ sign
		_, less := bits.Sub64(x.order, order, 0)
		_, less = bits.Sub64(t, at, less)
		take := -less // all bits if x comes before
		best ^= (best ^ c) & take
		at ^= (at ^ t) & take
		order ^= (order ^ x.order) & take
	}
	return int(best)
}

// fill puts an entry into a hole or above it.
func (q queue) fill(i int, x ending) {
	for i > 0 {
		up := (i - 1) / 4
		if !x.before(&q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = x
}
