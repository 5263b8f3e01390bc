package sortio

import "sync/atomic"

// Room is memory for map outputs that stay in the process. A job's collectors share it. It is safe
// for concurrent use. A nil Room has no memory.
type Room struct{ free atomic.Int64 }

// NewRoom returns a room of n bytes.
func NewRoom(n int64) *Room {
	r := &Room{}
	r.free.Store(n)
	return r
}

// take reports whether the room has n bytes left. If so, it reserves them.
func (r *Room) take(n int64) bool {
	if r == nil {
		return false
	}
	if r.free.Add(-n) >= 0 {
		return true
	}
	r.give(n)
	return false
}

func (r *Room) give(n int64) {
	if r != nil {
		r.free.Add(n)
	}
}
