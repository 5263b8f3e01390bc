package adaptive

// Measured learns f(t) for each hour of the day (UTC) from the trackers' reports on the load of
// other workloads.
type Measured struct {
	hours [24]int64 // share left for MapReduce, in millionths
	seen  [24]bool
	hour  int   // the current hour
	sum   int64 // sum of the current hour's samples
	n     int64 // number of samples in sum
	curve *Curve
}

const hourMS = int64(3_600_000)

// add records the mean share that is left for MapReduce on the trackers now, in millionths. Once an
// hour of the day has a sample, add redraws the curve only if the hour's mean changes by more than
// 0.5% of full capacity.
func (m *Measured) add(now, share int64) {
	hour := int(now / hourMS % 24)
	if hour != m.hour {
		m.hour, m.sum, m.n = hour, 0, 0
	}
	if m.n == 0 && m.seen[hour] { // all earlier days together count as one sample
		m.sum, m.n = m.hours[hour], 1
	}
	m.sum += share
	m.n++
	mean := m.sum / m.n
	if m.curve == nil || !m.seen[hour] || abs(mean-m.hours[hour]) > Full/200 {
		m.hours[hour], m.seen[hour] = mean, true
		m.curve = m.draw(mean)
	}
}

func abs(n int64) int64 { return max(n, -n) }

// draw returns a curve with the mean of each hour at the middle of the hour. Hours without samples
// get the value present.
func (m *Measured) draw(present int64) *Curve {
	value := func(h int) (s [resources]int64) {
		x := m.hours[(h+24)%24]
		if !m.seen[(h+24)%24] {
			x = present
		}
		for r := range s {
			s[r] = x
		}
		return s
	}
	edge := value(0)
	for r := range edge {
		edge[r] = (edge[r] + value(-1)[r]) / 2
	}
	at, share := []int64{0}, [][resources]int64{edge}
	for h := range 24 {
		at = append(at, int64(h)*hourMS+hourMS/2)
		share = append(share, value(h))
	}
	return newCurve(24*hourMS, 0, append(at, 24*hourMS), append(share, edge))
}
