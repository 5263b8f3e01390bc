package lab

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks places about wantedTicks ticks on an axis, at multiples of a round step. It includes 0 if 0
// is in range.
type ticks struct{}

// wantedTicks is the target number of steps on an axis.
const wantedTicks = 6

// Ticks implements plot.Ticker.
func (ticks) Ticks(low, high float64) []plot.Tick {
	step := roundStep((high - low) / wantedTicks)
	if !(step > 0) || math.IsInf(step, 0) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 6, 64)}}
	}
	var out []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i <= high/step+1e-9; i++ {
		x := i*step + 0 // not -0
		out = append(out, plot.Tick{Value: x, Label: tickLabel(x, step)})
	}
	return out
}

// roundStep returns the smallest of 1, 2, and 5 times a power of ten that is not below x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= x {
			return f * power
		}
	}
	return 10 * power
}

// tickLabel formats x, the position of a tick. It uses enough digits for step, the distance between
// ticks, or three digits if step is at least 1e6.
func tickLabel(x, step float64) string {
	if step >= 1e6 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, int(-math.Floor(math.Log10(step)+1e-9))), 64)
}
