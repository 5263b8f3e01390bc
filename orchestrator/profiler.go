package orchestrator

// A window is a task's mean usage over a number of samples (Config.Window).
type window struct {
	at    int64 // end of the window, in ms after the task's start
	usage Vector
}

// A history is the profiler's record of a task. It contains recent windows and, for the linear CPU
// model, sums over all windows.
type history struct {
	windows []window // oldest first
	cpu     line
	// The fields below describe the current, incomplete window.
	count int
	sum   Vector
	// The fields below describe the last sample.
	seen      bool
	at        int64
	cpuMillis int64
}

// add adds a sample to the history. It drops or clips invalid values, such as a clock or counter
// that went backward, or more CPU than the node has.
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

// recent returns the mean usage of the windows that end after since, which is in ms after the
// task's start. If no window does, it returns the usage in the last window.
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
