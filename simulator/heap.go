package simulator

// wakeups is a heap of nodes, ordered by the time of their next event and then by number. It
// contains each node once, at index node.place.
type wakeups []*node

func (h wakeups) before(i, k int) bool {
	return h[i].due < h[k].due || h[i].due == h[k].due && h[i].index < h[k].index
}

func (h *wakeups) add(n *node) {
	n.place = len(*h)
	*h = append(*h, n)
	h.fix(n)
}

// fix restores the heap order after the node's time has changed.
func (h wakeups) fix(n *node) {
	if !h.down(n.place) {
		h.up(n.place)
	}
}

func (h wakeups) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !h.before(i, p) {
			return
		}
		h.swap(i, p)
		i = p
	}
}

// down moves the node at index i down the heap and reports whether it moved.
func (h wakeups) down(i int) bool {
	from := i
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h.before(c+1, c) {
			c++
		}
		if !h.before(c, i) {
			break
		}
		h.swap(i, c)
		i = c
	}
	return i != from
}

func (h wakeups) swap(i, k int) {
	h[i], h[k] = h[k], h[i]
	h[i].place, h[k].place = i, k
}
