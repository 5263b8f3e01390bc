package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/howdah/howdah/job/failure"
)

// An Interval is the range in which a value lies in the simulated futures. Coverage is the
// probability with which one more future lies in it.
type Interval struct {
	Median, Low, High float64
	Coverage          float64
}

// IntervalOf returns the interval of the values that covers at least 95%. With fewer than 39
// values, it is the range of all values, which covers less.
func IntervalOf(values []float64) Interval {
	x := slices.Sorted(slices.Values(values))
	n := len(x)
	if n == 0 {
		return Interval{}
	}
	k := max(1, (n+1)/40)
	if k > n/2 {
		k = 1
	}
	return Interval{Median: (x[(n-1)/2] + x[n/2]) / 2, Low: x[k-1], High: x[n-k],
		Coverage: max(0, 1-2*float64(k)/float64(n+1))}
}

// A Goal is what a good policy makes small.
type Goal string

// The goals.
const (
	Time     Goal = "time"     // mean time in seconds until a job ends
	Missed   Goal = "missed"   // number of jobs that miss their deadlines
	Makespan Goal = "makespan" // time in seconds until all jobs have ended
)

// ParseGoal returns the goal with the given name. "" is the zero Goal, which is Missed if the
// active policy is predicted to miss a deadline that another might meet, and Time otherwise.
func ParseGoal(name string) (Goal, error) {
	switch g := Goal(name); g {
	case "", Time, Missed, Makespan:
		return g, nil
	}
	return "", failure.New(failure.Usage, "choose goal", name, errors.New("want time, missed, or makespan"))
}

// Of returns the value of the goal in each repetition under policy p.
func (f *Forecast) Of(g Goal, p *Policy) []float64 {
	out := make([]float64, len(p.Finish))
	for i, finish := range p.Finish {
		sum, late, last := 0.0, 0.0, int64(0)
		for n, at := range finish {
			sum += float64(at - f.State.Now)
			last = max(last, at-f.State.Now)
			if d := f.State.Jobs[n].Deadline; d > 0 && at > d {
				late++
			}
		}
		switch g {
		case Missed:
			out[i] = late
		case Makespan:
			out[i] = float64(last) / 1000
		default:
			out[i] = sum / float64(len(finish)) / 1000
		}
	}
	return out
}

// goal replaces the zero Goal.
func (f *Forecast) goal(g Goal) Goal {
	if g != "" {
		return g
	}
	for i := range f.Policies {
		if f.gain(Missed, &f.Policies[i]).Median > 0 {
			return Missed
		}
	}
	return Time
}

// gain returns the paired difference between the active policy and p. It is positive if p is
// better.
func (f *Forecast) gain(g Goal, p *Policy) Interval {
	x, y := f.Of(g, &f.Policies[0]), f.Of(g, p)
	x = x[:min(len(x), len(y))]
	for i := range x {
		x[i] -= y[i]
	}
	return IntervalOf(x)
}

// Advice is the best switch of the policy, as far as the simulations show one.
type Advice struct {
	From, To string // To is "" if no switch pays
	Goal     Goal
	Gain     Interval // in the unit of the goal
	Percent  float64  // median gain relative to the active policy
	Why      string   // why no switch pays
	// Gains are the gains of all other policies, best first.
	Gains []Gain
}

// Gain is the gain of one policy.
type Gain struct {
	Policy string
	Runs   int // number of repetitions
	Interval
	Percent float64
}

// Advise compares the policies with the active one. A switch pays if the interval of its gain
// excludes zero and the median gain is at least minPercent of the active policy's value. A switch
// that gains time must not miss more deadlines. A policy with fewer than Repetitions repetitions is
// not advised.
func (f *Forecast) Advise(g Goal, minPercent float64) *Advice {
	g = f.goal(g)
	a := &Advice{From: f.Policies[0].Name, Goal: g, Why: "no other scheduler was simulated"}
	base := IntervalOf(f.Of(g, &f.Policies[0])).Median
	for i := range f.Policies[1:] {
		p := &f.Policies[1+i]
		x := Gain{Policy: p.Name, Runs: len(p.Finish), Interval: f.gain(g, p)}
		if base > 0 {
			x.Percent = 100 * x.Median / base
		}
		a.Gains = append(a.Gains, x)
	}
	slices.SortStableFunc(a.Gains, func(x, y Gain) int { return cmp.Compare(y.Median, x.Median) })
	for i := range a.Gains {
		why := f.objection(g, &a.Gains[i], minPercent)
		if why == "" {
			x := &a.Gains[i]
			a.To, a.Gain, a.Percent, a.Why = x.Policy, x.Interval, x.Percent, ""
			return a
		}
		if i == 0 {
			a.Why = why
		}
	}
	return a
}

// objection returns why a switch does not pay, or "" if it pays.
func (f *Forecast) objection(g Goal, x *Gain, minPercent float64) string {
	switch {
	case x.Median <= 0:
		return "no other scheduler is better"
	case x.Low <= 0:
		return fmt.Sprintf("the gain of %s, the best other scheduler, is uncertain", x.Policy)
	case x.Runs < Repetitions:
		return fmt.Sprintf("%d repetitions are too few; an interval of 95%% needs %d", x.Runs, Repetitions)
	case x.Percent < minPercent:
		return fmt.Sprintf("the gain of %s, the best other scheduler, is less than %g%%", x.Policy, minPercent)
	case g != Missed && f.gain(Missed, f.find(x.Policy)).Median < 0:
		return fmt.Sprintf("%s misses more deadlines", x.Policy)
	}
	return ""
}

func (f *Forecast) find(name string) *Policy {
	return &f.Policies[slices.IndexFunc(f.Policies, func(p Policy) bool { return p.Name == name })]
}

// A Follower decides when a JobTracker follows advice. It waits until it has seen the same advice
// Agree times in a row, and for Rest ms after each switch. Its fields must not change after the
// first call of Decide. It is not safe for concurrent use.
type Follower struct {
	Agree int
	Rest  int64

	to      string
	times   int
	active  string
	lastSet int64
}

// Switched records that the named policy is active since the given time. If the policy has changed,
// advice from before does not count.
func (w *Follower) Switched(since int64, active string) {
	if w.active != "" && w.active != active {
		w.to, w.times = "", 0
	}
	w.active, w.lastSet = active, since
}

// Decide reports whether to follow the advice now, and why not.
func (w *Follower) Decide(now int64, a *Advice) (do bool, why string) {
	if a.To == "" {
		w.to, w.times = "", 0
		return false, a.Why
	}
	if a.To != w.to {
		w.to, w.times = a.To, 0
	}
	w.times++
	switch {
	case w.times < w.Agree:
		return false, fmt.Sprintf("seen %d of %d times in a row", w.times, w.Agree)
	case now-w.lastSet < w.Rest:
		return false, fmt.Sprintf("the latest switch was %d s ago", (now-w.lastSet)/1000)
	}
	return true, ""
}
