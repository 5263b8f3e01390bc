package ordered

// A Window maps ascending numbers, such as those of unfinished jobs, to members. It is a slice from
// the lowest to the highest number, so a lookup is an index operation. The zero Window is empty.
type Window[T any] struct {
	base  int32 // number of the first element
	items []*T
}

// Get returns the member with number n, or nil.
func (w *Window[T]) Get(n int32) *T {
	if i := int(n) - int(w.base); i >= 0 && i < len(w.items) {
		return w.items[i]
	}
	return nil
}

// Put sets the member with number n.
func (w *Window[T]) Put(n int32, x *T) {
	switch {
	case len(w.items) == 0:
		w.base = n
	case n < w.base:
		w.items = append(make([]*T, w.base-n), w.items...)
		w.base = n
	}
	for int(n)-int(w.base) >= len(w.items) {
		w.items = append(w.items, nil)
	}
	w.items[n-w.base] = x
}

// Delete removes the member with number n, if the window contains it.
func (w *Window[T]) Delete(n int32) {
	if w.Get(n) == nil {
		return
	}
	w.items[n-w.base] = nil
	first, last := 0, len(w.items)
	for first < last && w.items[first] == nil {
		first++
	}
	for last > first && w.items[last-1] == nil {
		last--
	}
	w.items = w.items[first:last] // append eventually moves to a new array, which frees the old one
	w.base += int32(first)
}

// Clear removes all members.
func (w *Window[T]) Clear() { *w = Window[T]{} }
