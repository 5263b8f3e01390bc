package adaptive

// heap is a priority queue of jobs. The first job according to less is on top. It avoids the
// interface calls of container/heap.
type heap struct {
	jobs []*descriptor
	less func(a, b *descriptor) bool
}

// fill puts the jobs, which can be in any order, into heap order.
func (h *heap) fill() {
	for i := len(h.jobs)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *heap) push(d *descriptor) {
	h.jobs = append(h.jobs, d)
	for i := len(h.jobs) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(h.jobs[i], h.jobs[up]) {
			break
		}
		h.jobs[i], h.jobs[up] = h.jobs[up], h.jobs[i]
		i = up
	}
}

func (h *heap) pop() *descriptor {
	d := h.jobs[0]
	last := len(h.jobs) - 1
	h.jobs[0] = h.jobs[last]
	h.jobs = h.jobs[:last]
	h.down(0)
	return d
}

// down moves job i down the heap to its place, after its key has increased.
func (h *heap) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h.jobs) {
			return
		}
		if c+1 < len(h.jobs) && h.less(h.jobs[c+1], h.jobs[c]) {
			c++
		}
		if !h.less(h.jobs[c], h.jobs[i]) {
			return
		}
		h.jobs[i], h.jobs[c] = h.jobs[c], h.jobs[i]
		i = c
	}
}
