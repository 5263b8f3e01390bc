package btworld

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/howdah/howdah/mapreduce"
)

// keyTop tells tasks how many of the largest are listed.
const keyTop = "howdah.btworld.top"

const (
	defaultTop = 10
	maxTop     = 10_000
)

// ranked is one of those that are ranked: the more sessions the better, of equal ones the lesser name first.
type ranked struct {
	sessions int64
	name     []byte
}

func (a ranked) compare(b ranked) int {
	return cmp.Or(cmp.Compare(b.sessions, a.sessions), bytes.Compare(a.name, b.name))
}

// Codec implements mapreduce.Writable: sessions in eight bytes, then the name. A decoded name is a view.
func (ranked) Codec() mapreduce.Codec[ranked] {
	return mapreduce.Codec[ranked]{
		Type: rankedType{},
		Append: func(dst []byte, r ranked) []byte {
			return append(binary.BigEndian.AppendUint64(dst, uint64(r.sessions)), r.name...)
		},
		Decode: func(b []byte) (ranked, error) {
			if len(b) < 8 {
				return ranked{}, fmt.Errorf("%d bytes are no sessions and name", len(b))
			}
			return ranked{int64(binary.BigEndian.Uint64(b)), b[8:]}, nil
		},
	}
}

// rankedType is the type of ranked, which is never a key.
type rankedType struct{ numbersType }

func (rankedType) Class() string { return "org.howdah.apps.btworld.Ranked" }

// top keeps the k best of a group.
type top struct {
	k    int
	best []ranked // sorted
}

func (t *top) Setup(c *mapreduce.Context) error {
	k, err := c.Conf.Int(keyTop, defaultTop, 1, maxTop)
	t.k = int(k)
	return err
}

// of finds the best of values.
func (t *top) of(values iter.Seq[ranked]) []ranked {
	t.best = t.best[:0]
	for r := range values {
		t.take(r)
	}
	return t.best
}

// take looks at one more, whose name is a view.
func (t *top) take(r ranked) {
	n := len(t.best)
	if n < t.k {
		r.name = bytes.Clone(r.name)
	} else {
		n--
		if r.compare(t.best[n]) >= 0 {
			return
		}
		r.name = append(t.best[n].name[:0], r.name...) // the memory of the one that goes
	}
	i, _ := slices.BinarySearchFunc(t.best[:n], r, ranked.compare)
	t.best = slices.Insert(t.best[:n], i, r)
}

// best is the combiner.
type best struct{ top }

func (b *best) Reduce(_ *mapreduce.Context, key mapreduce.Text, values iter.Seq[ranked], out *mapreduce.Out[mapreduce.Text, ranked]) error {
	for _, r := range b.of(values) {
		out.Emit(key, r)
	}
	return nil
}

// list is the reducer. A line is "KEY TAB RANK TAB SESSIONS TAB NAME"; an empty key is left out.
type list struct {
	top
	buf []byte
}

func (l *list) Reduce(_ *mapreduce.Context, key mapreduce.Text, values iter.Seq[ranked], out *mapreduce.Out[mapreduce.Text, mapreduce.Null]) error {
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
