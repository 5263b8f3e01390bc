package pool

import "slices"

// Ranking is a sorted list without duplicates. A member is taken out before it changes and put back after.
type Ranking[T comparable] struct {
	Items   []T
	Compare func(a, b T) int
}

// Put adds x.
func (r *Ranking[T]) Put(x T) {
	i, found := slices.BinarySearchFunc(r.Items, x, r.Compare)
	if !found {
		r.Items = slices.Insert(r.Items, i, x)
	}
}

// Take removes x.
func (r *Ranking[T]) Take(x T) {
	if i, found := slices.BinarySearchFunc(r.Items, x, r.Compare); found {
		r.Items = slices.Delete(r.Items, i, i+1)
	}
}
