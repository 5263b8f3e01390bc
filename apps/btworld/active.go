package btworld

import "github.com/howdah/howdah/mapreduce"

// one is the value of each record that is counted.
var one = numbers{1}

// countMoments returns the job that counts the lines for each moment. Its input consists of
// distinct lines with the given number of columns. The column with index moment contains the
// moment.
func countMoments(columns, moment int) *mapreduce.Job {
	return folding(lines(columns, func(m *lineMapper[numbers]) error {
		m.key, m.value = m.f[moment], one
		return nil
	}), fold{ops: []op{sum}, line: numbersLine})
}

// The columns of hashesAtMoments: hash, moment.
const (
	hashMoment  = 1
	hashColumns = 2
)

// hashesAtMoments returns the first job of ActiveHashes, which writes all distinct pairs of a hash
// and a moment.
func hashesAtMoments() *mapreduce.Job {
	return folding(scrapes(func(m *scrapeMapper) bool {
		m.key = join(m.key[:0], m.hash, m.moment())
		return true
	}), fold{line: keyLine})
}

// The columns of inhabitedSwarms: hash, tracker, moment.
const (
	inhabitedMoment  = 2
	inhabitedColumns = 3
)

// inhabitedSwarms returns the first job of ActiveSwarms, which writes the swarms with sessions at
// each moment.
func inhabitedSwarms() *mapreduce.Job {
	return folding(scrapes(func(m *scrapeMapper) bool {
		m.key = join(m.key[:0], m.hash, m.tracker, m.moment())
		return m.sessions() > 0
	}), fold{line: keyLine})
}
