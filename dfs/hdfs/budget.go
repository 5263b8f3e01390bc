package hdfs

import "sync/atomic"

// A budget limits the memory for unfinished blocks. It is safe for concurrent use.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take reserves n bytes and reports whether it succeeded. If fewer bytes are left, it reserves
// none.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) <= b.limit {
		return true
	}
	b.used.Add(-n)
	return false
}

func (b *budget) give(n int64) { b.used.Add(-n) }
