package ordered

// A Window maps numbers that are close to each other, such as those of unfinished jobs, to members.
// It is a slice from the lowest to the highest number, so a lookup is an index operation. Numbers
// that are too far from the others are in a map, so that users who skip numbers cannot make the
// slice large. The zero Window is empty.
type Window[T any] struct {
	base  int // number of the first element
	items []*T
	far   map[int32]*T
}

// widest is the maximum length of a Window's slice. At 8 bytes each, the elements occupy 8 MiB.
const widest = 1 << 20

// Get returns the member with number n, or nil.
func (w *Window[T]) Get(n int32) *T {
	if i := int(n) - w.base; i >= 0 && i < len(w.items) && w.items[i] != nil {
		return w.items[i]
	}
	return w.far[n]
}

// Put sets the member with number n.
func (w *Window[T]) Put(n int32, x *T) {
	i := int(n) - w.base
	if len(w.items) == 0 {
		w.base, i = int(n), 0
	}
	if i >= widest || len(w.items)-i > widest || w.far[n] != nil {
		if w.far == nil {
			w.far = map[int32]*T{}
		}
		w.far[n] = x
		return
	}
	if i < 0 {
		w.items = append(make([]*T, -i), w.items...)
		w.base, i = int(n), 0
	}
	for i >= len(w.items) {
		w.items = append(w.items, nil)
	}
	w.items[i] = x
}

// Delete removes the member with number n, if the window contains it.
func (w *Window[T]) Delete(n int32) {
	delete(w.far, n)
	i := int(n) - w.base
	if i < 0 || i >= len(w.items) {
		return
	}
	w.items[i] = nil
	first, last := 0, len(w.items)
	for first < last && w.items[first] == nil {
		first++
	}
	for last > first && w.items[last-1] == nil {
		last--
	}
	w.items = w.items[first:last] // append eventually moves to a new array, which frees the old one
	w.base += first
}

// Clear removes all members.
func (w *Window[T]) Clear() { *w = Window[T]{} }
