package simmr

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
)

type execution struct {
	tasks  [2][]Attempt // by task type
	mapEnd int64        // end of the last map, in ms since the epoch
}

func read(journal []byte, seq int32) (*execution, error) {
	x := &execution{}
	for k := range x.tasks {
		var err error
		if x.tasks[k], err = Attempts(journal, seq, job.TaskType(k)); err != nil {
			return nil, err
		}
	}
	for _, a := range x.tasks[job.Map] {
		x.mapEnd = max(x.mapEnd, a.Finish)
	}
	return x, nil
}

// peak returns the maximum number of concurrent tasks of a type.
func (x *execution) peak(k job.TaskType) (most int) {
	for _, a := range x.tasks[k] {
		n := 0
		for _, b := range x.tasks[k] {
			if b.Start <= a.Start && a.Start < b.Finish {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func (x *execution) waves(k job.TaskType) int {
	p := max(1, x.peak(k))
	return (len(x.tasks[k]) + p - 1) / p
}

// phases contains durations in seconds. seen contains the shuffles of the first wave as observed,
// and first contains the same shuffles minus their overlap with the maps.
type phases struct{ maps, seen, first, typical, reduces []float64 }

func (x *execution) phases() (p phases) {
	s := func(ms int64) float64 { return float64(ms) / 1000 }
	for _, a := range x.tasks[job.Map] {
		p.maps = append(p.maps, s(a.Finish-a.Start))
	}
	for _, a := range x.tasks[job.Reduce] {
		if a.Start < x.mapEnd {
			p.seen = append(p.seen, s(a.SortDone-a.Start))
			p.first = append(p.first, s(max(0, a.SortDone-x.mapEnd)))
		} else {
			p.typical = append(p.typical, s(a.SortDone-a.Start))
		}
		p.reduces = append(p.reduces, s(a.Finish-max(a.SortDone, min(x.mapEnd, a.Finish))))
	}
	return p
}

func sim1Report(r *lab.Run, want size, runs [2]*execution) {
	var rows [][]string
	for i, x := range runs {
		p := x.phases()
		slots := int(want.slots[i])
		rows = append(rows, []string{fmt.Sprintf("%d + %d", slots, slots),
			fmt.Sprintf("%d + %d", x.waves(job.Map), x.waves(job.Reduce)),
			seconds(p.maps), seconds(p.seen), seconds(p.first), seconds(p.typical), seconds(p.reduces)})
		r.Compare(fmt.Sprintf("map-waves-%d", slots), r.Value(float64(x.waves(job.Map))), "%d maps, at most %d at a time",
			want.maps, x.peak(job.Map))
		r.Compare(fmt.Sprintf("reduce-waves-%d", slots), r.Value(float64(x.waves(job.Reduce))),
			"%d reduces, at most %d at a time", want.reduces, x.peak(job.Reduce))
		a, b := lab.IntervalOf(p.seen), lab.IntervalOf(p.typical)
		r.Compare(fmt.Sprintf("first-shuffle-%d", slots), a.Minus(b), "%s s against %s s", a.Significant(), b.Significant())
		r.AddPlot(gantt(slots, x))
	}
	r.AddTable("phases", []string{"slots", "waves", "map (s)", "whole first shuffle (s)",
		"first shuffle after the maps (s)", "typical shuffle (s)", "reduce (s)"}, rows)
	a, b := runs[0].phases(), runs[1].phases()
	sim1Compare(r, "map", a.maps, b.maps)
	sim1Compare(r, "typical-shuffle", a.typical, b.typical)
	sim1Compare(r, "reduce", a.reduces, b.reduces)
	cdf := func(name string, a, b []float64) {
		r.AddPlot(lab.Plot{Name: "cdf-" + name, Title: name, X: "s", Kind: lab.CDF, Series: []lab.Series{
			{Name: fmt.Sprint(want.slots[0], " slots"), X: a}, {Name: fmt.Sprint(want.slots[1], " slots"), X: b}}})
	}
	cdf("map", a.maps, b.maps)
	cdf("shuffle", slices.Concat(a.first, a.typical), slices.Concat(b.first, b.typical))
	cdf("reduce", a.reduces, b.reduces)
}

func seconds(x []float64) string {
	i := lab.IntervalOf(x)
	return fmt.Sprintf("%.2f +- %.2f", i.Mean, i.Half)
}

// sim1Compare compares durations with the Kolmogorov-Smirnov test at the 5% level.
func sim1Compare(r *lab.Run, name string, a, b []float64) {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	d := stat.KolmogorovSmirnov(a, nil, b, nil)
	n, m := float64(len(a)), float64(len(b))
	limit := 1.358 * math.Sqrt((n+m)/(n*m))
	r.Compare(name, r.Value(d/limit), "distance %.3f, limit %.3f (%d and %d tasks)", d, limit, len(a), len(b))
}

// gantt draws the tasks by slot, as in figures 1 and 2. slots is the number of slots of each kind.
func gantt(slots int, x *execution) lab.Plot {
	p := lab.Plot{Name: fmt.Sprintf("slots-%d", slots), Title: fmt.Sprintf("Tasks on %d + %d slots", slots, slots),
		X: "time (s)", Y: "slot", Kind: lab.Gantt}
	begin := x.tasks[job.Map][0].Start
	row := 0
	for k, title := range [2]string{"map", "reduce"} {
		s := lab.Series{Name: title}
		var free []int64
		for _, a := range x.tasks[k] {
			slot := slices.IndexFunc(free, func(until int64) bool { return until <= a.Start })
			if slot < 0 {
				slot = len(free)
				free = append(free, 0)
			}
			free[slot] = a.Finish
			s.X = append(s.X, float64(a.Start-begin)/1000)
			s.High = append(s.High, float64(a.Finish-begin)/1000)
			s.Y = append(s.Y, float64(row+slot))
		}
		row += len(free)
		p.Series = append(p.Series, s)
	}
	return p
}
