package orchestrator

// A line is a least-squares fit of points. It stores sums, so its cost does not depend on the
// number of points. Explicit conversions prevent fused multiply-add so that all machines compute
// the same results.
type line struct{ n, x, y, xx, xy float64 }

func (l *line) add(x, y float64) {
	l.n++
	l.x += x
	l.y += y
	l.xx += float64(x * x)
	l.xy += float64(x * y)
}

// at returns the line's value at x. If the points have fewer than two different x values, the line
// is horizontal.
func (l *line) at(x float64) float64 {
	if l.n == 0 {
		return 0
	}
	d := float64(l.n*l.xx) - float64(l.x*l.x)
	if d <= 1e-9*float64(l.n*l.xx) {
		return l.y / l.n
	}
	slope := (float64(l.n*l.xy) - float64(l.x*l.y)) / d
	return l.y/l.n + float64(slope*(x-l.x/l.n))
}
