package btworld

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/howdah/howdah/mapreduce"
)

// The names of the inputs of joinTrackers.
const (
	sideTrackers = "trackers"
	sideScrapes  = "scrapes"
)

// The marks of the two inputs of joinTrackers. Its keys consist of a tracker and a mark, so that a
// tracker's line in the ranking precedes the tracker's scrapes.
var (
	markTracker = []byte("0")
	markScrape  = []byte("1")
)

// joinTrackers returns the first job of JoinTopKTrackers, which selects the scrapes of the trackers
// in TopKTrackersGlobal. The reduces can join this ranking with the scrapes because all records of
// a tracker go to the same reduce. The output's columns are tracker, hash, and moment.
func joinTrackers() *mapreduce.Job {
	in := mapreduce.MultipleInputs{
		{Name: sideTrackers, Format: mapreduce.TextInput{}, Mapper: lines(3, func(m *lineMapper[mapreduce.Text]) error {
			m.key = join(m.key[:0], m.f[2], markTracker)
			return nil
		})},
		{Name: sideScrapes, Format: mapreduce.TextInput{},
			Mapper: mapreduce.MapOf(func() *swarmMapper { return &swarmMapper{} })},
	}
	return byFirstField(&mapreduce.Job{
		Input:   in,
		Mapper:  in.Mapper(),
		Reducer: mapreduce.ReduceOf(func() *joiner { return &joiner{} }),
	})
}

// swarmMapper emits the hash and the moment, with the tracker as the key.
type swarmMapper struct {
	reader
	key, value []byte
}

func (m *swarmMapper) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	if m.read(line) {
		m.key = join(m.key[:0], m.tracker, markScrape)
		m.value = join(m.value[:0], m.hash, m.moment())
		out.Emit(m.key, m.value)
	}
	return nil
}

// joiner passes on a tracker's scrapes if the ranking lists the tracker.
type joiner struct {
	tracker []byte // latest tracker read from the ranking
	buf     []byte
}

func (j *joiner) Reduce(_ *mapreduce.Context, key mapreduce.Text, swarms iter.Seq[mapreduce.Text],
	out *mapreduce.Out[mapreduce.Text, mapreduce.Null]) error {
	tracker, mark, _ := bytes.Cut(key, []byte{'\t'})
	if bytes.Equal(mark, markTracker) {
		j.tracker = append(j.tracker[:0], tracker...)
		return nil
	}
	if !bytes.Equal(tracker, j.tracker) {
		return nil
	}
	for s := range swarms {
		j.buf = join(j.buf[:0], tracker, s)
		if out.Emit(j.buf, mapreduce.Null{}); out.Err() != nil {
			break
		}
	}
	return nil
}

// The columns of JoinTopKTrackers: tracker, hash, birth, death.
const (
	lifeTracker = 0
	lifeBirth   = 2
	lifeDeath   = 3
	lifeColumns = 4
)

// lives returns the second job of JoinTopKTrackers, which finds each swarm's first and last moment.
func lives() *mapreduce.Job {
	return folding(lines(3, func(m *lineMapper[numbers]) error {
		at, ok := parseTimestamp(m.f[2])
		if !ok {
			return fmt.Errorf("%q is not a moment", m.f[2])
		}
		m.key = join(m.key[:0], m.f[0], m.f[1])
		m.value = append(m.value[:0], at, at)
		return nil
	}), fold{ops: []op{least, greatest}, line: lifeLine})
}

func lifeLine(dst []byte, key mapreduce.Text, n []int64) []byte {
	dst = append(append(dst, key...), '\t')
	dst = append(appendTime(dst, n[0]), '\t')
	return appendTime(dst, n[1])
}

// countSwarms returns the job that counts each tracker's swarms by their moment of birth or death.
// column is lifeBirth or lifeDeath.
func countSwarms(column int) *mapreduce.Job {
	return byFirstField(folding(lines(lifeColumns, func(m *lineMapper[numbers]) error {
		m.key, m.value = join(m.key[:0], m.f[lifeTracker], m.f[column]), one
		return nil
	}), fold{ops: []op{sum}, line: numbersLine}))
}
