package ordered

import "slices"

// A Ranking is a sorted list without duplicates. If a member's key changes, either remove the
// member before the change and add it again afterward, or call Resort after the change.
type Ranking[T comparable] struct {
	Items   []T
	Compare func(a, b T) int
	out     []T
	room    []T // unused elements right before Items, unless the user has replaced Items
}

// Put adds x, unless the list contains it.
func (r *Ranking[T]) Put(x T) {
	i, found := slices.BinarySearchFunc(r.Items, x, r.Compare)
	if found {
		return
	}
	if n := len(r.room) - 1; n >= 0 && i < len(r.Items)/2 && startsAfter(r.room, r.Items) {
		all := r.room[:n+1+len(r.Items)]
		copy(all[n:], r.Items[:i])
		all[n+i] = x
		r.Items, r.room = all[n:], r.room[:n]
		return
	}
	r.Items = slices.Insert(r.Items, i, x)
	if !startsAfter(r.room, r.Items) {
		r.room = nil // Items has moved, and room must not keep its old array
	}
}

// Take removes x, if the list contains it.
func (r *Ranking[T]) Take(x T) {
	i, found := slices.BinarySearchFunc(r.Items, x, r.Compare)
	if !found {
		return
	}
	old := r.Items
	r.Items = without(old, i)
	if len(r.Items) == 0 || &r.Items[0] == &old[0] {
		return
	}
	if !startsAfter(r.room, old) {
		r.room = old[:0]
	}
	r.room = r.room[:len(r.room)+1]
}

// startsAfter reports whether list, which is not empty, starts right after room in the same array.
func startsAfter[T any](room, list []T) bool {
	n := len(room)
	return n < cap(room) && &room[:n+1][n] == &list[0]
}

// Resort sorts the list after the keys of members have changed. It is fast if most members are
// still in order, because it sorts only the others and merges them.
func (r *Ranking[T]) Resort() {
	r.out = r.out[:0]
	kept := len(r.Items) // the list is in order from this index on
	for i := kept - 1; i >= 0; i-- {
		if kept < len(r.Items) && r.Compare(r.Items[i], r.Items[kept]) > 0 {
			r.out = append(r.out, r.Items[i])
			continue
		}
		kept--
		r.Items[kept] = r.Items[i]
	}
	slices.SortFunc(r.out, r.Compare)
	to := 0
	for _, x := range r.out {
		for ; kept < len(r.Items) && r.Compare(r.Items[kept], x) < 0; kept, to = kept+1, to+1 {
			r.Items[to] = r.Items[kept]
		}
		r.Items[to] = x
		to++
	}
	clear(r.out)
}
