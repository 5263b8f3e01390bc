package btworld

import (
	"github.com/howdah/howdah/mapreduce"

	"github.com/howdah/howdah/conf"
)

// ranking returns a job that lists the k best entries of each key.
func ranking(mapper mapreduce.MapperClass) *mapreduce.Job {
	return &mapreduce.Job{
		Mapper:   mapper,
		Combiner: mapreduce.ReduceOf(func() *best { return &best{} }),
		Reducer:  mapreduce.ReduceOf(func() *list { return &list{} }),
	}
}

// topTrackersAtMoments returns TopKTrackersLocal, which reads TrackerOverTime.
func topTrackersAtMoments() *mapreduce.Job {
	return ranking(lines(trackerColumns, func(m *lineMapper[ranked]) error {
		seeders, err := m.number(trackerSeeders)
		if err != nil {
			return err
		}
		leechers, err := m.number(trackerLeechers)
		m.key, m.value = m.f[trackerMoment], ranked{seeders + leechers, m.f[trackerName]}
		return err
	}))
}

// topSwarmsAtMoments returns TopKSwarmsLocal, which reads SwarmOverTime. A swarm's name is its hash
// and its tracker.
func topSwarmsAtMoments() *mapreduce.Job {
	return ranking(lines(swarmColumns, func(m *lineMapper[ranked]) (err error) {
		m.key = m.f[swarmMoment]
		m.value.name = join(m.value.name[:0], m.f[swarmHash], m.f[swarmTracker])
		m.value.sessions, err = m.number(swarmSessions)
		return err
	}))
}

// sessionsOfHashes returns the first job of TopKHashesLocal. The job reads SwarmOverTime and adds
// up the sessions of each hash at each moment, over all trackers. The output's columns are hash,
// moment, and sessions.
func sessionsOfHashes() *mapreduce.Job {
	return folding(lines(swarmColumns, func(m *lineMapper[numbers]) error {
		sessions, err := m.number(swarmSessions)
		m.key = join(m.key[:0], m.f[swarmHash], m.f[swarmMoment])
		m.value = append(m.value[:0], sessions)
		return err
	}), fold{ops: []op{sum}, line: numbersLine})
}

// topHashesAtMoments returns the second job of TopKHashesLocal.
func topHashesAtMoments() *mapreduce.Job {
	return ranking(lines(3, func(m *lineMapper[ranked]) (err error) {
		m.key, m.value.name = m.f[1], m.f[0]
		m.value.sessions, err = m.number(2)
		return err
	}))
}

// The columns of a local ranking: moment, rank, sessions, and then the words of the name.
const (
	localSessions = 2
	localName     = 3
)

// most returns the first job of a global query. For each entry of a local ranking, it finds the
// largest number of sessions at any moment. words is the number of words in an entry's name. The
// output's columns are these words and then the sessions.
func most(words int) *mapreduce.Job {
	return folding(lines(localName+words, func(m *lineMapper[numbers]) error {
		sessions, err := m.number(localSessions)
		m.key = join(m.key[:0], m.f[localName:localName+words]...)
		m.value = append(m.value[:0], sessions)
		return err
	}), fold{ops: []op{greatest}, line: numbersLine})
}

// topOfAll returns the second job of a global query, which lists the k best entries of all moments.
func topOfAll(words int) *mapreduce.Job {
	j := ranking(lines(words+1, func(m *lineMapper[ranked]) (err error) {
		m.value.name = join(m.value.name[:0], m.f[:words]...)
		m.value.sessions, err = m.number(words)
		return err
	}))
	j.Conf = map[string]string{conf.JobReduces.Name: "1"}
	return j
}
