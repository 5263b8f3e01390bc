package adaptive

import "slices"

// Full is a share of 100%, in millionths.
const Full = 1_000_000

// A Curve is the f(t) of a tracker: the share of each resource that is left for MapReduce at time t.
// It is linear between its points and repeats after its period. A nil Curve is always 1.
type Curve struct {
	period int64 // ms
	origin int64 // time of t = 0, in ms since the Unix epoch
	at     []int64
	share  [][resources]int64   // millionths
	sum    [][resources]float64 // integral from 0 to at[i], in ms of full capacity
}

// newCurve returns a curve. The points must be in order. The first must be at 0 and the last at the
// period.
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

// phase splits a time into whole periods since the origin and a remainder.
func (c *Curve) phase(t int64) (periods, rest int64) {
	t -= c.origin
	periods = t / c.period
	rest = t % c.period
	if rest < 0 {
		periods, rest = periods-1, rest+c.period
	}
	return periods, rest
}

// At returns the share of the resource at time t, in millionths.
func (c *Curve) At(t int64, r Resource) int64 {
	if c == nil {
		return Full
	}
	_, x := c.phase(t)
	i := c.segment(x)
	from, to := c.at[i], c.at[i+1]
	return c.share[i][r] + (c.share[i+1][r]-c.share[i][r])*(x-from)/(to-from)
}

// segment returns the index of the segment that contains x, the time in ms since the period began.
func (c *Curve) segment(x int64) int {
	i, found := slices.BinarySearch(c.at, x)
	if !found {
		i--
	}
	return min(i, len(c.at)-2)
}

// Integral returns the integral of the share of the resource from a to b, in ms of full capacity.
// If b <= a, it returns 0.
func (c *Curve) Integral(a, b int64, r Resource) float64 {
	if b <= a {
		return 0
	}
	if c == nil {
		return float64(b - a)
	}
	return c.upTo(b, r) - c.upTo(a, r)
}

// upTo returns the integral from the origin to time t.
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
