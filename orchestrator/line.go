package orchestrator

// line is a straight line through points by least squares, kept as sums, so that it costs the same for any number of them.
// Explicit conversions keep the results the same on machines that fuse multiplication and addition.
type line struct{ n, x, y, xx, xy float64 }

func (l *line) add(x, y float64) {
	l.n++
	l.x += x
	l.y += y
	l.xx += float64(x * x)
	l.xy += float64(x * y)
}

// at gives the line's value; with fewer than two different points it is level.
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
