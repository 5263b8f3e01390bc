package btworld

import "github.com/howdah/howdah/mapreduce"

// The columns of TrackerOverTime: tracker, moment, scrapes, seeders, leechers, downloads, mean sessions.
const (
	trackerName     = 0
	trackerMoment   = 1
	trackerSeeders  = 3
	trackerLeechers = 4
	trackerColumns  = 7
)

// trackerJob returns TrackerOverTime. It orders keys by tracker and then by moment, so that a
// tracker's history is in one file in chronological order.
func trackerJob() *mapreduce.Job {
	return byFirstField(folding(scrapes(func(m *scrapeMapper) bool {
		m.key = join(m.key[:0], m.tracker, m.moment())
		m.value = append(m.value[:0], 1, m.seeders, m.leechers, m.downloads)
		return true
	}), fold{ops: []op{sum, sum, sum, sum}, line: trackerLine}))
}

func trackerLine(dst []byte, key mapreduce.Text, n []int64) []byte {
	return appendMean(append(numbersLine(dst, key, n), '\t'), n[1]+n[2], n[0])
}

// The columns of SwarmOverTime: hash, tracker, moment, scrapes, sessions.
const (
	swarmHash     = 0
	swarmTracker  = 1
	swarmMoment   = 2
	swarmSessions = 4
	swarmColumns  = 5
)

// swarmJob returns SwarmOverTime.
func swarmJob() *mapreduce.Job {
	return folding(scrapes(func(m *scrapeMapper) bool {
		m.key = join(m.key[:0], m.hash, m.tracker, m.moment())
		m.value = append(m.value[:0], 1, m.sessions())
		return true
	}), fold{ops: []op{sum, sum}, line: numbersLine})
}
