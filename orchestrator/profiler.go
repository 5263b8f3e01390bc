package orchestrator

// window is a time window of a task.
type window struct {
	at    int64 // its end, ms after the task's start
	usage Vector
}

// history is what the profiler keeps of a task: recent windows, and of all windows what a linear model of CPU needs.
type history struct {
	windows []window // oldest first
	cpu     line
	// The window that is being filled.
	count int
	sum   Vector
	// The last sample.
	seen      bool
	at        int64
	cpuMillis int64
}

// add takes a sample. What cannot be (a clock or counter that went back, more CPU than there is) is left out or cut.
func (h *history) add(c *Config, at, cpuMillis, memory int64, capacity Vector) {
	memory = max(0, memory)
	if capacity[Memory] > 0 {
		memory = min(memory, capacity[Memory])
	}
	if !h.seen || at <= h.at || cpuMillis < h.cpuMillis {
		if !h.seen || at > h.at {
			h.at, h.cpuMillis = at, max(0, cpuMillis)
		}
		h.seen = true
		return
	}
	cpu := int64(min(float64(cpuMillis-h.cpuMillis)*1000/float64(at-h.at), float64(capacity[CPU])))
	h.at, h.cpuMillis = at, cpuMillis
	h.sum[CPU] += cpu
	h.sum[Memory] += memory
	if h.count++; h.count < c.Window {
		return
	}
	n := int64(h.count)
	w := window{at: at, usage: Vector{h.sum[CPU] / n, h.sum[Memory] / n}}
	h.count, h.sum = 0, Vector{}
	h.cpu.add(float64(at), float64(w.usage[CPU]))
	if len(h.windows) >= c.History {
		copy(h.windows, h.windows[1:])
		h.windows = h.windows[:len(h.windows)-1]
	}
	h.windows = append(h.windows, w)
}

// recent is the mean usage since a time.
func (h *history) recent(since int64) (mean Vector) {
	n := int64(0)
	for i := len(h.windows) - 1; i >= 0 && (n == 0 || h.windows[i].at > since); i-- {
		for r, u := range h.windows[i].usage {
			mean[r] += u
		}
		n++
	}
	for r := range mean {
		mean[r] /= max(1, n)
	}
	return mean
}
