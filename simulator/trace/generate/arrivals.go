package generate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Arrivals decides when jobs come. A value is for one workload: it may keep state.
type Arrivals interface {
	// Next gives the time of the arrival after the one at now, both in ms from the start of the workload.
	Next(now float64, r *rand.Rand) float64
}

// Gaps are arrivals whose distances, in ms, are independent of each other.
type Gaps struct{ Between dist.Dist }

// Poisson arrivals have exponential gaps with the given mean in ms (SIM section V-B).
func Poisson(mean float64) Arrivals { return Gaps{dist.Exponential(mean)} }

// Next adds a gap.
func (g Gaps) Next(now float64, r *rand.Rand) float64 { return now + max(0, g.Between.Draw(r)) }

// Bursty arrivals switch between a busy and a quiet state. Level 0 is Poisson; at level L the busy state brings jobs 4^L times as
// often as the quiet one, and both states last equally long on average. The mean gap over both states stays Mean.
type Bursty struct {
	Mean  float64 // ms between arrivals in the long run
	Level int     // 0 to 3
	Stay  float64 // mean ms in a state; 0 = 20 times Mean

	busy  bool
	until float64
}

// Next draws exponential gaps at the rate of the state that holds; a gap that reaches beyond the state is drawn anew from
// there, which is exact because exponential gaps have no memory.
func (b *Bursty) Next(now float64, r *rand.Rand) float64 {
	ratio := math.Pow(4, float64(b.Level))
	stay := b.Stay
	if stay == 0 {
		stay = 20 * b.Mean
	}
	for {
		for now >= b.until {
			b.busy = !b.busy
			b.until += r.ExpFloat64() * stay
		}
		rate := 2 / (b.Mean * (1 + ratio))
		if b.busy {
			rate *= ratio
		}
		if next := now + r.ExpFloat64()/rate; next < b.until {
			return next
		}
		now = b.until
	}
}

// Shaped arrivals are Poisson with a rate that follows a curve over time, f(t), again and again.
type Shaped struct {
	Mean   float64 // ms between arrivals in the long run
	Period float64 // ms that the curve covers
	Curve  []float64
}

// NewShaped checks the curve: at least one point, none negative, not all zero. Points are equally far apart and joined by lines;
// the last is joined to the first. An error is of kind Usage.
func NewShaped(mean, period float64, curve []float64) (*Shaped, error) {
	sum := 0.0
	for _, y := range curve {
		if !(y >= 0) || math.IsInf(y, 0) {
			return nil, failure.New(failure.Usage, "shape arrivals", fmt.Sprint(curve), fmt.Errorf("%g is not a rate: rates are 0 or more", y))
		}
		sum += y
	}
	if sum == 0 || !(mean > 0) || !(period > 0) {
		return nil, failure.New(failure.Usage, "shape arrivals", fmt.Sprint(curve), fmt.Errorf("no job would ever come (mean gap %g ms, period %g ms)", mean, period))
	}
	return &Shaped{Mean: mean, Period: period, Curve: curve}, nil
}

// Next thins a Poisson process at the curve's highest rate.
func (s *Shaped) Next(now float64, r *rand.Rand) float64 {
	sum, top := 0.0, 0.0
	for _, y := range s.Curve {
		sum += y
		top = max(top, y)
	}
	average := sum / float64(len(s.Curve))
	for {
		now += r.ExpFloat64() * s.Mean * average / top
		if r.Float64()*top <= s.at(now) {
			return now
		}
	}
}

func (s *Shaped) at(t float64) float64 {
	n := len(s.Curve)
	x := math.Mod(t, s.Period) / s.Period * float64(n)
	i := min(int(x), n-1)
	a, b := s.Curve[i], s.Curve[(i+1)%n]
	return a + (b-a)*(x-float64(i))
}
