package generate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Arrivals determines the submission times of jobs. It may keep state, so do not use a value for
// more than one workload.
type Arrivals interface {
	// Next returns the time of the first arrival after now. Both times are in ms since the start of
	// the workload.
	Next(now float64, r *rand.Rand) float64
}

// Gaps produces arrivals with independent gaps, in ms.
type Gaps struct{ Between dist.Dist }

// Poisson returns arrivals with exponential gaps of the given mean in ms (SIM section V-B).
func Poisson(mean float64) Arrivals { return Gaps{dist.Exponential(mean)} }

// Next returns now plus a random gap.
func (g Gaps) Next(now float64, r *rand.Rand) float64 { return now + max(0, g.Between.Draw(r)) }

// Bursty arrivals alternate between a busy and a quiet state. At level 0, they are Poisson
// arrivals. At level L, jobs arrive 4^L times as often in the busy state as in the quiet state.
// Both states last equally long on average, and the mean gap over both is Mean.
type Bursty struct {
	Mean  float64 // long-term mean of ms between arrivals
	Level int     // 0 to 3
	Stay  float64 // mean ms per state; 0 means 20 times Mean

	busy  bool
	until float64
}

// Next draws exponential gaps at the rate of the current state. If a gap extends beyond the state,
// Next draws another gap from the start of the next state. This is exact because exponential gaps
// are memoryless.
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

// Shaped arrivals are Poisson with a rate that follows a periodic curve f(t).
type Shaped struct {
	Mean   float64 // long-term mean of ms between arrivals
	Period float64 // period of the curve in ms
	Curve  []float64
}

// NewShaped returns arrivals that follow the curve. The curve needs at least one positive value,
// and no value may be negative. mean and period, in ms, must be positive. Points are equidistant
// and joined by lines, and the last one is joined to the first. Errors are of kind Usage.
func NewShaped(mean, period float64, curve []float64) (*Shaped, error) {
	sum := 0.0
	for _, y := range curve {
		if !(y >= 0) || math.IsInf(y, 0) {
			return nil, failure.New(failure.Usage, "shape arrivals", fmt.Sprint(curve),
				fmt.Errorf("%g is not a rate: want 0 or more", y))
		}
		sum += y
	}
	if sum == 0 || !(mean > 0) || !(period > 0) {
		return nil, failure.New(failure.Usage, "shape arrivals", fmt.Sprint(curve),
			fmt.Errorf("no job would ever arrive (mean gap %g ms, period %g ms)", mean, period))
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
