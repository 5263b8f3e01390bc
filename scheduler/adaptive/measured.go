package adaptive

// Measured learns f(t) from the load of others that trackers report, by the hour of the day (UTC): what an hour was like on
// earlier days is what it is expected to be.
type Measured struct {
	hours [24]int64 // share left for MapReduce, in millionths
	seen  [24]bool
	hour  int   // that is being measured
	sum   int64 // of its samples
	n     int64
	curve *Curve
}

const hourMS = int64(3_600_000)

// add takes the mean share that trackers have left now.
func (m *Measured) add(now, share int64) {
	hour := int(now / hourMS % 24)
	if hour != m.hour {
		m.hour, m.sum, m.n = hour, 0, 0
	}
	if m.n == 0 && m.seen[hour] { // what earlier days taught counts as much as a day's first sample
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

// draw makes the curve: each hour's mean in its middle. Hours that were never seen are as the present one.
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
