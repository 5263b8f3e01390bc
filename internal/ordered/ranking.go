package ordered

import "slices"

// A Ranking is a sorted list without duplicates. If a member's key changes, either remove the
// member before the change and add it again afterward, or call Resort after the change.
type Ranking[T comparable] struct {
	Items   []T
	Compare func(a, b T) int
	out     []T
}

// Put adds x, unless the list contains it.
func (r *Ranking[T]) Put(x T) {
	i, found := slices.BinarySearchFunc(r.Items, x, r.Compare)
	if !found {
		r.Items = slices.Insert(r.Items, i, x)
	}
}

// Take removes x, if the list contains it.
func (r *Ranking[T]) Take(x T) {
	if i, found := slices.BinarySearchFunc(r.Items, x, r.Compare); found {
		r.Items = without(r.Items, i)
	}
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
