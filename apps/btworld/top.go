package btworld

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// keyTop is the setting that passes the length of the rankings to the tasks.
const keyTop = "howdah.btworld.top"

const maxTop = 10_000

// ranked is an entry of a ranking. Entries are ordered by number of sessions, highest first, and
// then by name.
type ranked struct {
	sessions int64
	name     []byte
}

func (a ranked) compare(b ranked) int {
	return cmp.Or(cmp.Compare(b.sessions, a.sessions), bytes.Compare(a.name, b.name))
}

// Codec implements mapreduce.Writable. It encodes sessions in eight bytes and then the name. A
// decoded name aliases the input.
func (ranked) Codec() mapreduce.Codec[ranked] {
	return mapreduce.Codec[ranked]{
		Type: rankedType{},
		Append: func(dst []byte, r ranked) []byte {
			return append(binary.BigEndian.AppendUint64(dst, uint64(r.sessions)), r.name...)
		},
		Decode: func(b []byte) (ranked, error) {
			if len(b) < 8 {
				return ranked{}, fmt.Errorf("%d bytes are not sessions and a name", len(b))
			}
			return ranked{int64(binary.BigEndian.Uint64(b)), b[8:]}, nil
		},
	}
}

// rankedType is the type of ranked, which is never a key.
type rankedType struct{ numbersType }

func (rankedType) Class() string { return "org.howdah.apps.btworld.Ranked" }

// top keeps the k best entries of a group.
type top struct {
	k    int
	best []ranked // sorted
}

func (t *top) Setup(c *mapreduce.Context) error {
	k, err := conf.BTWorldTop.Get(c.Conf)
	t.k = int(k)
	return err
}

// of returns the k best values, best first. The result is valid until the next call.
func (t *top) of(values iter.Seq[ranked]) []ranked {
	t.best = t.best[:0]
	for r := range values {
		t.take(r)
	}
	return t.best
}

// take adds r if it is among the k best so far. It copies the name because the engine reuses the
// name's memory.
func (t *top) take(r ranked) {
	n := len(t.best)
	if n < t.k {
		r.name = bytes.Clone(r.name)
	} else {
		n--
		if r.compare(t.best[n]) >= 0 {
			return
		}
		r.name = append(t.best[n].name[:0], r.name...) // reuses the memory of the dropped entry
	}
	i, _ := slices.BinarySearchFunc(t.best[:n], r, ranked.compare)
	t.best = slices.Insert(t.best[:n], i, r)
}

// best is the combiner, which passes on the k best entries.
type best struct{ top }

func (b *best) Reduce(_ *mapreduce.Context, key mapreduce.Text, values iter.Seq[ranked],
	out *mapreduce.Out[mapreduce.Text, ranked]) error {
	for _, r := range b.of(values) {
		out.Emit(key, r)
	}
	return nil
}

// list is the reducer, which writes the ranking. A line is "KEY TAB RANK TAB SESSIONS TAB NAME",
// without KEY TAB if the key is empty.
type list struct {
	top
	buf []byte
}

func (l *list) Reduce(_ *mapreduce.Context, key mapreduce.Text, values iter.Seq[ranked],
	out *mapreduce.Out[mapreduce.Text, mapreduce.Null]) error {
	for i, r := range l.of(values) {
		b := l.buf[:0]
		if len(key) > 0 {
			b = append(append(b, key...), '\t')
		}
		b = append(strconv.AppendInt(b, int64(i+1), 10), '\t')
		b = append(strconv.AppendInt(b, r.sessions, 10), '\t')
		l.buf = append(b, r.name...)
		out.Emit(l.buf, mapreduce.Null{})
	}
	return nil
}
