package pool

import "slices"

// ranking is a sorted list without duplicates. A member is taken out before it changes and put back after.
type ranking[T comparable] struct {
	items   []T
	compare func(a, b T) int
}

func (r *ranking[T]) put(x T) {
	i, found := slices.BinarySearchFunc(r.items, x, r.compare)
	if !found {
		r.items = slices.Insert(r.items, i, x)
	}
}

func (r *ranking[T]) take(x T) {
	if i, found := slices.BinarySearchFunc(r.items, x, r.compare); found {
		r.items = slices.Delete(r.items, i, i+1)
	}
}
