package tasklevel

import "math/bits"

// ending is the end of a running attempt. Other future events are not queued, namely the next
// arrival, the next capacity change, the policy's deadline, and the next sample.
type ending struct {
	at  int64
	key uint64 // insertion order and place; ends at the same time are in insertion order
}

const placeBits = 21 // for at most maxSlots of each kind

func newEnding(at int64, order uint64, i place) ending {
	return ending{at: at, key: order<<placeBits | uint64(i)}
}

// task returns the task that ends. Its end differs if a later attempt has replaced this one.
func (x *ending) task() place { return place(x.key & (1<<placeBits - 1)) }

// queue is a heap of ends by time. Each node has four children, which halves the depth compared to
// a binary heap and makes siblings adjacent in memory.
type queue []ending

func (a *ending) before(b *ending) bool { return a.at < b.at || a.at == b.at && a.key < b.key }

func (q *queue) push(x ending) {
	*q = append(*q, x)
	q.fill(len(*q)-1, x)
}

// pop removes and returns the first end. It moves the hole down to the bottom and fills it with the
// last entry, which usually belongs there. This needs fewer comparisons than moving that entry down
// from the top.
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

// least returns the index of the smallest of four entries. It avoids branches, which would be
// unpredictable.
func least(of *[4]ending) int {
	const sign = 1 << 63 // after inverting the sign bit, signed numbers sort as unsigned numbers
	best, at, key := uint64(0), uint64(of[0].at)^sign, of[0].key
	for c := uint64(1); c < 4; c++ {
		x := &of[c]
		t := uint64(x.at) ^ sign
		_, less := bits.Sub64(x.key, key, 0)
		_, less = bits.Sub64(t, at, less)
		take := -less // all bits set if x comes first
		best ^= (best ^ c) & take
		at ^= (at ^ t) & take
		key ^= (key ^ x.key) & take
	}
	return int(best)
}

// fill puts an entry into a hole and moves it up to its place.
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
