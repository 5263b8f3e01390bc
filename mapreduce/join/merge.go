package join

import (
	"errors"
	"io"

	"github.com/howdah/howdah/mapreduce"
)

// merge joins sources. Its position is a key that the operation selects, together with the values of
// that key.
type merge struct {
	op    op
	by    mapreduce.Comparator
	kids  []source
	head  []byte   // the constant start of every tuple, with the class names
	vals  []values // values of the current key, indexed by source
	k     []byte
	ended bool

	keyType, value mapreduce.Type

	pick  []int // indexed by source: index of the value in the current combination; -1 = no value
	more  bool  // the combination in pick has not been delivered
	tuple []byte
}

func (m *merge) add(in source) {
	m.kids = append(m.kids, in)
	m.vals = append(m.vals, values{})
	m.pick = append(m.pick, 0)
	_, value := in.types()
	m.head = append(m.head, textOf(value.Class())...)
}

func (m *merge) types() (key, value mapreduce.Type) { return m.keyType, m.value }

// findTypes returns the types of the first source that has records, or of the first source if none
// has records. For operations other than override, the value type is Tuple. Call findTypes before
// the first record is read.
func (m *merge) findTypes() (key, value mapreduce.Type) {
	key, value = m.kids[0].types()
	for _, kid := range m.kids {
		if kid.key() != nil {
			key, value = kid.types()
			break
		}
	}
	if m.op != override {
		value = Tuple
	}
	return key, value
}

func (m *merge) key() []byte {
	if m.ended {
		return nil
	}
	return m.k
}

// advance moves to the next key that the operation selects.
func (m *merge) advance() error {
	for {
		low := m.lowest()
		if low == nil {
			m.ended = true
			return nil
		}
		m.k = append(m.k[:0], low...)
		any, err := m.gather()
		if err != nil {
			return err
		}
		if any {
			m.first()
			return nil
		}
	}
}

func (m *merge) lowest() (low []byte) {
	for _, kid := range m.kids {
		if k := kid.key(); k != nil && (low == nil || m.by.Compare(k, low) < 0) {
			low = k
		}
	}
	return low
}

func (m *merge) has(kid source) bool {
	k := kid.key()
	return k != nil && m.by.Compare(k, m.k) == 0
}

// gather collects those values of the current key that the operation needs and skips the others. It
// reports whether it collected any values.
func (m *merge) gather() (any bool, err error) {
	all, last := true, -1
	for i, kid := range m.kids {
		if m.has(kid) {
			last = i
		} else {
			all = false
		}
	}
	for i, kid := range m.kids {
		m.vals[i].reset()
		if !m.has(kid) {
			continue
		}
		if m.op == inner && !all || m.op == override && i != last {
			err = kid.drop()
		} else {
			any = true
			err = kid.take(&m.vals[i])
		}
		if err != nil {
			return false, err
		}
	}
	return any, nil
}

// first selects the first combination of values.
func (m *merge) first() {
	for i := range m.vals {
		m.pick[i] = 0
		if m.vals[i].count() == 0 {
			m.pick[i] = -1
		}
	}
	m.more = true
}

// next selects the next combination of values. The value of the last input changes fastest.
func (m *merge) next() {
	for i := len(m.pick) - 1; i >= 0; i-- {
		if m.pick[i]+1 < m.vals[i].count() {
			m.pick[i]++
			return
		}
		if m.pick[i] > 0 {
			m.pick[i] = 0
		}
	}
	m.more = false
}

// current returns the current combination of values.
func (m *merge) current() []byte {
	if m.op == override {
		for i, n := range m.pick {
			if n >= 0 {
				return m.vals[i].at(n)
			}
		}
	}
	m.tuple = appendTupleHead(m.tuple[:0], m.pick, m.head)
	for i, n := range m.pick {
		if n >= 0 {
			m.tuple = append(m.tuple, m.vals[i].at(n)...)
		}
	}
	return m.tuple
}

func (m *merge) take(dst *values) error {
	for ; m.more; m.next() {
		if err := dst.add(m.current()); err != nil {
			return err
		}
	}
	return m.advance()
}

func (m *merge) drop() error { return m.advance() }

func (m *merge) progress() float32 {
	least := float32(1)
	for _, kid := range m.kids {
		least = min(least, kid.progress())
	}
	return least
}

func (m *merge) close() (err error) {
	for _, kid := range m.kids {
		err = errors.Join(err, kid.close())
	}
	return err
}

// reader delivers the records of a source.
type reader struct {
	in   source
	vals values // used if the source is a single table
	k    []byte
	next int
}

// Next implements mapreduce.RecordReader.
func (r *reader) Next() (key, value []byte, err error) {
	m, ok := r.in.(*merge)
	if !ok {
		return r.nextRow()
	}
	if !m.more && !m.ended {
		if err := m.advance(); err != nil {
			return nil, nil, err
		}
	}
	if m.ended {
		return nil, nil, io.EOF
	}
	r.k = append(r.k[:0], m.k...)
	value = m.current()
	m.next()
	return r.k, value, nil
}

// RecordTypes implements mapreduce.TypedReader.
func (r *reader) RecordTypes() (key, value mapreduce.Type) {
	if r.in.key() == nil {
		return nil, nil // the source has no records
	}
	return r.in.types()
}

// nextRow returns the next record of a single table.
func (r *reader) nextRow() (key, value []byte, err error) {
	if r.next == r.vals.count() {
		k := r.in.key()
		if k == nil {
			return nil, nil, io.EOF
		}
		r.k, r.next = append(r.k[:0], k...), 0
		r.vals.reset()
		if err := r.in.take(&r.vals); err != nil {
			return nil, nil, err
		}
	}
	r.next++
	return r.k, r.vals.at(r.next - 1), nil
}

// Progress implements mapreduce.RecordReader.
func (r *reader) Progress() float32 { return r.in.progress() }

// Close implements mapreduce.RecordReader.
func (r *reader) Close() error { return r.in.close() }
