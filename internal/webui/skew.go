package webui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// skew describes how a quantity differs among the attempts of one type that succeeded.
type skew struct {
	Type, What                   string
	Least, Median, P90, P99, Max string
}

// slow is an attempt that takes much longer than others of its type.
type slow struct {
	*status.Attempt
	Times string // its duration divided by the median
	Why   string
}

const (
	// maxWithCounters is the maximum number of tasks of a job whose page evaluates the counters of
	// each attempt.
	maxWithCounters = 2000
	// maxSlow is the maximum number of slow attempts of a type on a page.
	maxSlow = 5
	// slowFactor times the median duration makes an attempt slow. uneven times the median makes a
	// quantity a reason for it.
	slowFactor, uneven = 1.5, 1.3
)

// quantity is something that can differ among attempts. value returns 0 if it is unknown.
type quantity struct {
	name   string
	reason string // explains an attempt with a large value, with the factor
	value  func(*status.Attempt) int64
	format func(int64) string
}

func counterOf(id job.CounterID) func(*status.Attempt) int64 {
	return func(a *status.Attempt) int64 {
		if a.Counters == nil {
			return 0
		}
		return a.Counters.Builtin[id]
	}
}

func millis(n int64) string { return span(1, n+1) }

var took = quantity{"Duration", "", func(a *status.Attempt) int64 { return max(0, a.FinishMs-a.StartMs) }, millis}

// quantities contains the quantities for maps and for reduces.
var quantities = [2][]quantity{
	{took,
		{"Input bytes", "%.1f times as many input bytes as the median", counterOf(job.InputBytesRead), thousand},
		{"Input records", "%.1f times as many input records as the median", counterOf(job.MapInputRecords), thousand}},
	{took,
		{"Shuffle", "a shuffle %.1f times as long as the median", func(a *status.Attempt) int64 {
			if a.ShuffleMs == 0 {
				return 0
			}
			return a.ShuffleMs - a.StartMs
		}, millis},
		{"Shuffled bytes", "%.1f times as many shuffled bytes as the median", counterOf(job.ReduceShuffleBytes), thousand},
		{"Input records", "%.1f times as many input records as the median", counterOf(job.ReduceInputRecords), thousand}},
}

// newSkews returns the skew of each quantity that is known, and the slowest attempts. now is in ms
// since the epoch.
func newSkews(j *status.Job, now int64) (skews []skew, slowest []slow) {
	for typ, list := range quantities {
		var done, all []*status.Attempt
		for _, a := range j.Attempts {
			if int(a.ID.Type) == typ && a.StartMs > 0 {
				if all = append(all, a); a.State == job.AttemptSucceeded {
					done = append(done, a)
				}
			}
		}
		if len(done) < 2 {
			continue
		}
		medians := make([]int64, len(list))
		for i, q := range list {
			values := make([]int64, len(done))
			for k, a := range done {
				values[k] = q.value(a)
			}
			slices.Sort(values)
			if values[len(values)-1] == 0 {
				continue
			}
			at := func(percent int) string { return q.format(values[rank(len(values), percent)]) }
			medians[i] = values[rank(len(values), 50)]
			skews = append(skews, skew{strings.ToLower(job.TaskType(typ).String()), q.name, at(0), at(50), at(90), at(99),
				at(100)})
		}
		slowest = append(slowest, slowOnes(all, list, medians, trackerMedians(done), now)...)
	}
	return skews, slowest
}

// rank returns the index of a percentile in n sorted values, by the nearest-rank method.
func rank(n, percent int) int { return max(0, (n*percent+99)/100-1) }

// trackerMedians returns the median duration of the attempts on each TaskTracker with at least three.
func trackerMedians(done []*status.Attempt) map[string]int64 {
	on := map[string][]int64{}
	for _, a := range done {
		on[a.Tracker] = append(on[a.Tracker], took.value(a))
	}
	medians := map[string]int64{}
	for name, values := range on {
		if slices.Sort(values); len(values) >= 3 {
			medians[name] = values[rank(len(values), 50)]
		}
	}
	return medians
}

// slowOnes returns the slowest attempts that are slow, with reasons. medians has the median of each
// quantity, and trackers the median duration on each TaskTracker.
func slowOnes(all []*status.Attempt, list []quantity, medians []int64, trackers map[string]int64, now int64) (
	out []slow) {
	if medians[0] == 0 {
		return nil
	}
	times := func(a *status.Attempt) float64 {
		return float64(end(a, now)-a.StartMs) / float64(medians[0])
	}
	all = slices.DeleteFunc(all, func(a *status.Attempt) bool { return times(a) < slowFactor })
	slices.SortStableFunc(all, func(a, b *status.Attempt) int { return cmp.Compare(times(b), times(a)) })
	for _, a := range all[:min(len(all), maxSlow)] {
		var why []string
		for i, q := range list[1:] {
			if m := medians[i+1]; m > 0 && float64(q.value(a)) >= uneven*float64(m) {
				why = append(why, fmt.Sprintf(q.reason, float64(q.value(a))/float64(m)))
			}
		}
		if m := trackers[a.Tracker]; float64(m) >= uneven*float64(medians[0]) {
			why = append(why, fmt.Sprintf("half of the attempts on this TaskTracker took %s or longer", millis(m)))
		}
		if a.Locality == job.RackLocal || a.Locality == job.OffSwitch {
			why = append(why, "its input is on another node")
		}
		if a.CPULimit > 0 {
			why = append(why, fmt.Sprintf("the orchestrator limits it to %dm of a core", a.CPULimit))
		}
		if len(why) == 0 {
			why = append(why, "no reason known to the JobTracker; see its logs")
		}
		out = append(out, slow{a, fmt.Sprintf("%.1f", times(a)), strings.Join(why, "; ")})
	}
	return out
}
