package sortio

import (
	"slices"

	"github.com/howdah/howdah/mapreduce"
)

// smallSort is the number of records below which a comparison sort is faster than a radix sort.
const smallSort = 256

// sort sorts the records by partition, key, and arrival.
func (b *buffer) sort(cmp mapreduce.Comparator) *sorted {
	top := len(b.metas)
	s := &sorted{buf: b, metas: b.metas[top-2*b.n : top-b.n], bounds: make([]int, len(b.counts)+1)}
	next := make([]int, len(b.counts))
	for p, n := range b.counts {
		next[p] = s.bounds[p]
		s.bounds[p+1] = s.bounds[p] + n
	}
	arrived := b.metas[top-b.n:]
	for i := len(arrived) - 1; i >= 0; i-- {
		p := arrived[i].part
		s.metas[next[p]] = arrived[i]
		next[p]++
	}
	for p := range b.counts {
		lo, hi := s.bounds[p], s.bounds[p+1]
		b.sortPart(cmp, s.metas[lo:hi], arrived[lo:hi])
	}
	return s
}

// sortPart sorts one partition's metas, which are in arrival order. tmp must have the same length.
func (b *buffer) sortPart(cmp mapreduce.Comparator, metas, tmp []meta) {
	if len(metas) < smallSort {
		b.sortSmall(cmp, metas)
		return
	}
	radixSort(metas, tmp)
	b.sortTies(cmp, metas, tmp, prefixBytes)
}

// sortSmall sorts by comparison. Offsets increase with arrival, so comparing them makes the order
// total and stable.
func (b *buffer) sortSmall(cmp mapreduce.Comparator, metas []meta) {
	slices.SortFunc(metas, func(x, y meta) int {
		if x.prefix != y.prefix {
			if x.prefix < y.prefix {
				return -1
			}
			return 1
		}
		if c := cmp.Compare(b.keyAt(x.off), b.keyAt(y.off)); c != 0 {
			return c
		}
		return int(int64(x.off) - int64(y.off))
	})
}

// sortTies sorts each group of records whose prefixes are equal. The first skip bytes of the keys
// in a group are known to be equal. Most groups of ties repeat a single key, so sortTies checks for
// that first.
func (b *buffer) sortTies(cmp mapreduce.Comparator, metas, tmp []meta, skip int) {
	for lo := 0; lo < len(metas); {
		hi := lo + 1
		for hi < len(metas) && metas[hi].prefix == metas[lo].prefix {
			hi++
		}
		if hi-lo > 1 && !b.allEqual(cmp, metas[lo:hi]) {
			b.sortTie(cmp, metas[lo:hi], tmp[lo:hi], skip)
		}
		lo = hi
	}
}

// prefixBytes is the number of key bytes in the prefix of a byte-ordered key.
const prefixBytes = 8

// sortTie sorts a group of records whose prefixes are equal. If the comparator supports it, sortTie
// sorts a large group by the bytes after the prefix.
func (b *buffer) sortTie(cmp mapreduce.Comparator, metas, tmp []meta, skip int) {
	deep, ok := cmp.(mapreduce.DeepComparator)
	if !ok || len(metas) < smallSort {
		b.sortSmall(cmp, metas)
		return
	}
	for {
		var all, any uint64 = ^uint64(0), 0
		for i := range metas {
			b.touch(metas, i)
			p := deep.PrefixAt(b.keyAt(metas[i].off), skip)
			metas[i].prefix = p
			all, any = all&p, any|p
		}
		skip += prefixBytes
		if any == 0 { // past the end; the keys can differ only in trailing zeros
			b.sortSmall(cmp, metas)
			return
		}
		if all != any {
			break
		}
	}
	radixSort(metas, tmp)
	b.sortTies(cmp, metas, tmp, skip)
}

func (b *buffer) allEqual(cmp mapreduce.Comparator, metas []meta) bool {
	first := b.keyAt(metas[0].off)
	for i, m := range metas {
		b.touch(metas, i)
		if cmp.Compare(first, b.keyAt(m.off)) != 0 {
			return false
		}
	}
	return true
}

// radixSort sorts stably by prefix, least significant byte first. It skips bytes that are the same
// in all prefixes. tmp must have the same length as metas.
func radixSort(metas, tmp []meta) {
	var counts [8][256]uint32
	for i := range metas {
		p := metas[i].prefix
		for d := range counts {
			counts[d][byte(p>>(8*d))]++
		}
	}
	src, dst := metas, tmp
	for d := range counts {
		shift := 8 * d
		c := &counts[d]
		if c[byte(src[0].prefix>>shift)] == uint32(len(src)) {
			continue
		}
		sum := uint32(0)
		for i, n := range c {
			c[i] = sum
			sum += n
		}
		for i := range src {
			k := byte(src[i].prefix >> shift)
			dst[c[k]] = src[i]
			c[k]++
		}
		src, dst = dst, src
	}
	if &src[0] != &metas[0] {
		copy(metas, src)
	}
}
