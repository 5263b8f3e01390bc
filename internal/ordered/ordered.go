// Package ordered is the one place where pure code may walk a map: always by sorted keys, so that the same state gives the
// same decisions. It also keeps small sets as sorted slices, which need no walking order at all.
package ordered

import (
	"cmp"
	"iter"
	"slices"
)

// Keys lists a map's keys in ascending order.
func Keys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// All walks a map in ascending order of its keys.
func All[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range Keys(m) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// Insert adds v to a sorted slice unless it is there.
func Insert[E cmp.Ordered](s []E, v E) []E {
	i, found := slices.BinarySearch(s, v)
	if found {
		return s
	}
	return slices.Insert(s, i, v)
}

// Remove takes v out of a sorted slice, if it is there.
func Remove[E cmp.Ordered](s []E, v E) []E {
	i, found := slices.BinarySearch(s, v)
	if !found {
		return s
	}
	return slices.Delete(s, i, i+1)
}

// Contains reports whether a sorted slice holds v.
func Contains[E cmp.Ordered](s []E, v E) bool {
	_, found := slices.BinarySearch(s, v)
	return found
}
