package aggregate

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// uniqueCount collects distinct strings. It stops after most+1 strings.
type uniqueCount struct {
	most int64
	seen map[string]struct{}
	buf  []byte
}

func (a *uniqueCount) reset() { a.seen = fresh(a.seen) }

// fresh returns an empty map. It reuses m unless m is large, because clearing a map takes time
// proportional to its capacity.
func fresh[V any](m map[string]V) map[string]V {
	if m == nil || len(m) > 1000 {
		return map[string]V{}
	}
	clear(m)
	return m
}

func (a *uniqueCount) add(v []byte) error {
	if _, ok := a.seen[string(v)]; !ok && int64(len(a.seen)) <= a.most {
		a.seen[string(v)] = struct{}{}
	}
	return nil
}

func (a *uniqueCount) report(dst []byte) []byte {
	return strconv.AppendInt(dst, int64(len(a.seen)), 10)
}

func (a *uniqueCount) partial(f func([]byte) error) error {
	for _, v := range sorted(a.seen) {
		a.buf = append(a.buf[:0], v...)
		if err := f(a.buf); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the keys of m in the order of Java's String.compareTo.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareStrings)
	return keys
}

// histogram counts the occurrences of each string.
type histogram struct {
	index  map[string]int // index of a string in counts; looking up a known string needs no allocation
	counts []int64
	buf    []byte
}

func (a *histogram) reset() { a.index, a.counts = fresh(a.index), a.counts[:0] }

func (a *histogram) add(v []byte) error {
	inc := int64(1)
	if tab := bytes.LastIndexByte(v, '\t'); tab >= 0 {
		var err error
		if inc, err = long(v[tab+1:]); err != nil {
			return err
		}
		v = v[:tab]
	}
	i, ok := a.index[string(v)]
	if !ok {
		i = len(a.counts)
		a.index[string(v)] = i
		a.counts = append(a.counts, 0)
	}
	a.counts[i] += inc
	return nil
}

func (a *histogram) report(dst []byte) []byte {
	counts := slices.Sorted(slices.Values(a.counts))
	n := len(counts)
	dst = strconv.AppendInt(dst, int64(n), 10)
	if n == 0 {
		return dst
	}
	sum := int64(0)
	for _, c := range counts {
		sum += c
	}
	mean := float64(sum) / float64(n)
	squares := 0.0
	for _, c := range counts {
		d := float64(c) - mean
		squares += float64(d * d)
	}
	for _, c := range []int64{counts[0], counts[n/2], counts[n-1]} {
		dst = strconv.AppendInt(append(dst, '\t'), c, 10)
	}
	dst = appendDouble(append(dst, '\t'), mean)
	return appendDouble(append(dst, '\t'), math.Sqrt(squares/float64(n)))
}

func (a *histogram) partial(f func([]byte) error) error {
	for _, v := range sorted(a.index) {
		a.buf = append(append(a.buf[:0], v...), '\t')
		a.buf = strconv.AppendInt(a.buf, a.counts[a.index[v]], 10)
		if err := f(a.buf); err != nil {
			return err
		}
	}
	return nil
}
