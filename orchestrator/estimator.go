package orchestrator

// Estimator says how much of a resource a task should have in the next epoch (Algorithm 2). Others than the paper's two plug
// in by a line in estimators.
type estimator func(c *Config, r Resource, h *history, a *Advice, elapsed, left int64) int64

var estimators = map[string]estimator{"regression": regression, "uniform": uniform}

// uniform: every task of a phase gets the mean of what they use (section III-B2).
func uniform(_ *Config, r Resource, _ *history, a *Advice, _, _ int64) int64 { return a.Mean[r] }

// regression: what the model of its usage says for the next epoch, scaled so that the task ends with the others (III-B1). Memory
// makes no task faster that has what it wants, and one that presses against its limit slower if there is less of it.
func regression(c *Config, r Resource, h *history, a *Advice, elapsed, time int64) int64 {
	next := float64(elapsed + c.Epoch) // decisions come half an epoch from now and hold for one: its middle
	if r == CPU {
		return part(max(0, int64(h.cpu.at(next))), c.alpha(r, time, a.Target))
	}
	use := max(0, int64(recentLine(h.windows, float64(a.Mean[r])).at(next)))
	if !a.Pressed {
		return use
	}
	if k := len(h.windows); k > 0 { // below its limit a model knows nothing
		use = max(use, h.windows[k-1].usage[r])
	}
	return part(use, max(Million, c.alpha(r, time, a.Target)))
}

// alpha is the resource scaling factor of equation 2, in millionths: above a whole for a task that lags behind.
func (c *Config) alpha(r Resource, left, target int64) int64 {
	if left <= 0 || target <= 0 {
		return Million
	}
	low := int64(float64(Million) / float64(c.MaxAlpha[r]) * Million)
	return min(max(share(left, target), low), c.MaxAlpha[r])
}

// recentLine fits memory to as many recent windows as keep the model from being worse than the mean of all tasks: what they
// predict for the last window is compared with what it was.
func recentLine(w []window, mean float64) *line {
	fit := &line{}
	if len(w) == 0 {
		return fit
	}
	last := w[len(w)-1]
	actual := float64(last.usage[Memory])
	past := line{}
	n := 1
	for i := len(w) - 2; i >= 0; i-- {
		past.add(float64(w[i].at), float64(w[i].usage[Memory]))
		if past.n >= 2 && abs(past.at(float64(last.at))-actual) > max(abs(mean-actual), float64(0.01*actual)) {
			break
		}
		n++
	}
	n = max(n, min(2, len(w)))
	for _, x := range w[len(w)-n:] {
		fit.add(float64(x.at), float64(x.usage[Memory]))
	}
	return fit
}

func abs(x float64) float64 { return max(x, -x) }
