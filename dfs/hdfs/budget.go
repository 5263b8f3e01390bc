package hdfs

import "sync/atomic"

// budget limits the memory of blocks that are kept until they are finished. All methods may be called concurrently.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take reserves n bytes if that many are left.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) <= b.limit {
		return true
	}
	b.used.Add(-n)
	return false
}

func (b *budget) give(n int64) { b.used.Add(-n) }
