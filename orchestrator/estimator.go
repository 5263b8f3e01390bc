package orchestrator

import "github.com/howdah/howdah/job/heartbeat"

// An estimator estimates how much of resource r a task should have in the next epoch (Algorithm 2).
// elapsed is the task's age, and left is the time to compare with a.Target (see timeOf), both in
// milliseconds. The paper has two estimators. Config.Own is another one.
type estimator func(c *Config, r Resource, h *history, a *heartbeat.Advice, elapsed, left int64) int64

var estimators = map[string]estimator{"regression": regression, "uniform": uniform}

// Use is what an Estimator knows about a task. It is valid only during the call.
type Use struct {
	Resource Resource
	Windows  []Window          // the task's recent usage, oldest first
	Advice   *heartbeat.Advice // what Global knows about the tasks of the phase
	Elapsed  int64             // age of the task in ms
	Left     int64             // ms until the task ends, comparable with Advice.Target
}

// Window is the mean usage of a task during a time window.
type Window struct {
	End   int64 // in ms after the task's start
	Usage Vector
}

// An Estimator estimates how much of u.Resource a task should have in the next epoch (Algorithm 2).
// The result depends only on c and u. The orchestrator limits it to what the node has.
type Estimator func(c *Config, u Use) int64

// Entry is a program's own estimator. howdah.orchestrator.estimator.own selects it by name.
type Entry struct {
	Name     string
	Estimate Estimator
}

// chosen returns the estimator that the configuration names, or its own.
func (c *Config) chosen() estimator {
	if c.Own == nil {
		return estimators[c.Estimator]
	}
	return func(c *Config, r Resource, h *history, a *heartbeat.Advice, elapsed, left int64) int64 {
		u := Use{Resource: r, Advice: a, Elapsed: elapsed, Left: left}
		for _, w := range h.windows {
			u.Windows = append(u.Windows, Window{w.at, w.usage})
		}
		return max(0, c.Own(c, u))
	}
}

// uniform returns the mean usage of the task's phase (section III-B2).
func uniform(_ *Config, r Resource, _ *history, a *heartbeat.Advice, _, _ int64) int64 {
	return a.Mean[r]
}

// regression returns the usage that the task's model predicts for the next epoch, scaled so that
// the task ends at the same time as the others (section III-B1). It never scales memory down. It
// scales memory up only for a task at its limit, because more memory does not help a task that has
// enough.
func regression(c *Config, r Resource, h *history, a *heartbeat.Advice, elapsed, time int64) int64 {
	next := float64(elapsed + c.Epoch) // decisions come after half an epoch and last for one, so this is the midpoint
	if r == CPU {
		return part(max(0, int64(h.cpu.at(next))), c.alpha(r, time, a.Target))
	}
	use := max(0, int64(recentLine(h.windows, float64(a.Mean[r])).at(next)))
	if !a.Pressed {
		return use
	}
	if k := len(h.windows); k > 0 { // the usage of a task at its limit does not show what it needs
		use = max(use, h.windows[k-1].usage[r])
	}
	return part(use, max(Million, c.alpha(r, time, a.Target)))
}

// alpha returns the resource scaling factor of equation 2, in millionths. It is greater than
// Million if the task lags behind.
func (c *Config) alpha(r Resource, left, target int64) int64 {
	if left <= 0 {
		return Million
	}
	low := int64(float64(Million) / float64(c.MaxAlpha[r]) * Million)
	return min(max(share(left, target), low), c.MaxAlpha[r])
}

// recentLine fits a line to the most recent memory windows. It includes older windows as long as a
// line through them, without the last window, predicts the usage in the last window. The error of
// that prediction must be at most 1%, or at most the error of predicting mean, the mean usage of
// the task's phase.
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
	for _, x := range w[len(w)-n:] {
		fit.add(float64(x.at), float64(x.usage[Memory]))
	}
	return fit
}

func abs(x float64) float64 { return max(x, -x) }
