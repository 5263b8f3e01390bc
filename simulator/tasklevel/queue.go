package tasklevel

import (
	"math"
	"math/bits"
)

// ending is the end of a running attempt. Other future events are not queued, namely the next
// arrival, the next capacity change, the policy's deadline, and the next sample.
type ending struct {
	at  int64
	key uint64 // insertion order and place
}

const placeBits = 21 // for at most maxSlots of each kind

func newEnding(at int64, order uint64, i place) ending {
	return ending{at: at, key: order<<placeBits | uint64(i)}
}

// task returns the task that ends. Its end differs if a later attempt has replaced this one.
func (x *ending) task() place { return place(x.key & (1<<placeBits - 1)) }

// queue is a radix heap of ends by time, and by insertion among equal times. It requires that no
// end is before the last one that was removed. In return, an end only moves between lists a few
// times, and is not compared with other ends.
type queue struct {
	first int64        // time of the first end; never = empty
	last  int64        // time of the last removed end, and of the ends in lists[0]
	lists [65][]ending // by the highest bit in which their times differ from last, in insertion order
	used  uint64       // bit set of lists with ends, starting with lists[1]
	gone  int          // removed ends at the start of lists[0]
}

func newQueue() queue { return queue{first: never, last: math.MinInt64} }

func (q *queue) push(x ending) {
	q.first = min(q.first, x.at)
	q.put(x)
}

func (q *queue) put(x ending) {
	i := bits.Len64(uint64(x.at ^ q.last))
	q.lists[i] = append(q.lists[i], x)
	q.used |= 1 << (uint(i) - 1) // nothing for lists[0]
}

// pop removes and returns the first end. The queue must not be empty.
func (q *queue) pop() ending {
	if q.last != q.first { // lists[0] is empty
		q.last = q.first
		list := q.lowest()
		ends := *list
		*list, q.used = ends[:0], q.used&(q.used-1)
		for _, x := range ends { // to lists with lower indexes
			q.put(x)
		}
	}
	x := q.lists[0][q.gone]
	if q.gone++; q.gone < len(q.lists[0]) {
		return x
	}
	q.lists[0], q.gone, q.first = q.lists[0][:0], 0, never
	if q.used != 0 {
		for _, y := range *q.lowest() {
			q.first = min(q.first, y.at)
		}
	}
	return x
}

// lowest returns the list with the first ends if lists[0] is empty and some other list is not.
func (q *queue) lowest() *[]ending { return &q.lists[1+bits.TrailingZeros64(q.used)] }
