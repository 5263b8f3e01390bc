// Package ordered iterates over maps in the order of their keys, so that the same state always
// leads to the same decisions. Deterministic code must not iterate over a map in any other way. The
// package also keeps small sets as sorted slices.
package ordered

import (
	"cmp"
	"iter"
	"slices"
)

// Keys returns the keys of a map in ascending order.
func Keys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// All returns an iterator over a map in ascending order of its keys.
func All[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range Keys(m) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// Insert adds v to a sorted slice unless the slice contains it.
func Insert[E cmp.Ordered](s []E, v E) []E {
	i, found := slices.BinarySearch(s, v)
	if found {
		return s
	}
	return slices.Insert(s, i, v)
}

// Remove removes v from a sorted slice if present.
func Remove[E cmp.Ordered](s []E, v E) []E {
	i, found := slices.BinarySearch(s, v)
	if !found {
		return s
	}
	return Without(s, i)
}

// longList is the length from which a new array now and then costs less than to move a list for each
// element that leaves its front half.
const longList = 1024

// Without removes the element at index i. The result shares the array of s.
func Without[E any](s []E, i int) []E {
	if i < len(s)/2 && len(s) >= longList {
		copy(s[1:], s[:i])
		clear(s[:1])
		return s[1:]
	}
	return slices.Delete(s, i, i+1)
}

// Contains reports whether a sorted slice contains v.
func Contains[E cmp.Ordered](s []E, v E) bool {
	_, found := slices.BinarySearch(s, v)
	return found
}
