package adaptive

import "slices"

// Full is the whole of a resource, in millionths.
const Full = 1_000_000

// Curve is f(t) of a tracker: which share of each resource is left for MapReduce at any time. Between its points it is
// linear; it repeats after its period. A nil Curve is 1 at all times.
type Curve struct {
	period int64 // ms
	origin int64 // ms since the epoch: t = 0
	at     []int64
	share  [][resources]int64   // millionths
	sum    [][resources]float64 // integral from 0 to at[i], in ms of the whole resource
}

// newCurve makes a curve; its points are in order, the first at 0 and the last at the period.
func newCurve(period, origin int64, at []int64, share [][resources]int64) *Curve {
	c := &Curve{period: period, origin: origin, at: at, share: share, sum: make([][resources]float64, len(at))}
	for i := 1; i < len(at); i++ {
		for r := range share[i] {
			mean := float64(share[i-1][r]+share[i][r]) / (2 * Full)
			c.sum[i][r] = c.sum[i-1][r] + float64(mean*float64(at[i]-at[i-1]))
		}
	}
	return c
}

// phase splits a time into whole periods since the origin and the rest.
func (c *Curve) phase(t int64) (periods, rest int64) {
	t -= c.origin
	periods = t / c.period
	rest = t % c.period
	if rest < 0 {
		periods, rest = periods-1, rest+c.period
	}
	return periods, rest
}

// At gives the share of a resource at a time, in millionths.
func (c *Curve) At(t int64, r Resource) int64 {
	if c == nil {
		return Full
	}
	_, x := c.phase(t)
	i := c.segment(x)
	from, to := c.at[i], c.at[i+1]
	return c.share[i][r] + (c.share[i+1][r]-c.share[i][r])*(x-from)/(to-from)
}

// segment finds the piece of the curve that a phase lies in.
func (c *Curve) segment(x int64) int {
	i, found := slices.BinarySearch(c.at, x)
	if !found {
		i--
	}
	return min(i, len(c.at)-2)
}

// Integral gives what there is of a resource from a to b: milliseconds times its share. It costs two searches.
func (c *Curve) Integral(a, b int64, r Resource) float64 {
	if b <= a {
		return 0
	}
	if c == nil {
		return float64(b - a)
	}
	return c.upTo(b, r) - c.upTo(a, r)
}

// upTo gives the integral from the origin.
func (c *Curve) upTo(t int64, r Resource) float64 {
	periods, x := c.phase(t)
	i := c.segment(x)
	dx := float64(x - c.at[i])
	width := float64(c.at[i+1] - c.at[i])
	rise := float64(c.share[i+1][r] - c.share[i][r])
	mean := (float64(c.share[i][r]) + float64(rise*dx)/(2*width)) / Full
	whole := c.sum[len(c.sum)-1][r]
	return float64(float64(periods)*whole) + c.sum[i][r] + float64(mean*dx)
}
