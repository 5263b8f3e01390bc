package ordered

import "slices"

// A Ranking is a sorted list without duplicates. If a member's key changes, either remove the
// member before the change and add it again afterward, or call Merge after the change.
type Ranking[T comparable] struct {
	Items   []T
	Compare func(a, b T) int
	room    []T // unused elements right before Items, unless the user has replaced Items
}

// find returns the position of x, or the position at which to insert x. Most members enter at the
// end of a list and leave at its front, so find looks there before it searches.
func (r *Ranking[T]) find(x T) (i int, found bool) {
	n := len(r.Items)
	if n == 0 || r.Compare(r.Items[n-1], x) < 0 {
		return n, false
	}
	if c := r.Compare(x, r.Items[0]); c <= 0 {
		return 0, c == 0
	}
	return slices.BinarySearchFunc(r.Items, x, r.Compare)
}

// Put adds x, unless the list contains it.
func (r *Ranking[T]) Put(x T) {
	i, found := r.find(x)
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
	i, found := r.find(x)
	if !found {
		return
	}
	old := r.Items
	r.Items = Without(old, i)
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

// Merge sorts out and merges it into the list, which must not contain any of these members. The list
// must start with as many unused elements as out has members, and the others must be in order. After
// the keys of many members have changed, a user can in this way sort only those that are no longer in
// order.
func (r *Ranking[T]) Merge(out []T) {
	slices.SortFunc(out, r.Compare)
	to, rest := 0, r.Items[len(out):]
	for _, x := range out {
		n, _ := slices.BinarySearchFunc(rest, x, r.Compare)
		to += copy(r.Items[to:], rest[:n])
		r.Items[to] = x
		to, rest = to+1, rest[n:]
	}
}
