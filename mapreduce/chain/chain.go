// Package chain runs several mappers one after the other inside one task, as Hadoop's ChainMapper and ChainReducer: what one
// emits the next maps, record by record, without a copy and without anything being stored in between.
//
//	Mapper:  chain.Mapper(parse, clean, expand),
//	Reducer: chain.Reducer(sum, format),
package chain

import (
	"fmt"
	"iter"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// Mapper makes one mapper of several. Each must read what the one before emits; a job whose links do not fit is refused before
// it starts. Without links it is the identity.
func Mapper(links ...mapreduce.MapperClass) mapreduce.MapperClass {
	if len(links) == 0 {
		return mapreduce.MapperClass{}
	}
	first := links[0]
	out := mapreduce.MapperClass{InKey: first.InKey, InVal: first.InVal}
	out.Key, out.Val = follow(or(first.Key, first.InKey), or(first.Val, first.InVal), links[1:])
	out.New = func() mapreduce.Mapper { return &mapper{line: newLine(links)} }
	return out
}

// Reducer makes a reducer whose output goes through mappers.
func Reducer(r mapreduce.ReducerClass, links ...mapreduce.MapperClass) mapreduce.ReducerClass {
	out := r
	out.Key, out.Val = follow(or(r.Key, r.InKey), or(r.Val, r.InVal), links)
	out.New = func() mapreduce.Reducer {
		return &reducer{own: (&mapreduce.Job{Reducer: r}).NewReducer(), line: newLine(links)}
	}
	return out
}

// Configured gives a link settings of its own, which the other links do not see.
func Configured(link mapreduce.MapperClass, settings map[string]string) mapreduce.MapperClass {
	out := link
	out.New = func() mapreduce.Mapper {
		return &configured{own: newMapper(link), settings: settings}
	}
	return out
}

func newMapper(m mapreduce.MapperClass) mapreduce.Mapper {
	return (&mapreduce.Job{Mapper: m}).NewMapper()
}

func or(t, other mapreduce.Type) mapreduce.Type {
	if t != nil {
		return t
	}
	return other
}

// follow gives the types that come out at the end of the links, or types that Job.Validate refuses.
func follow(key, val mapreduce.Type, links []mapreduce.MapperClass) (mapreduce.Type, mapreduce.Type) {
	for i, l := range links {
		for _, x := range []struct {
			half      string
			want, got mapreduce.Type
		}{{"keys", l.InKey, key}, {"values", l.InVal, val}} {
			if x.want != nil && x.got != nil && x.want.Class() != x.got.Class() {
				bad := mapreduce.InvalidType(fmt.Errorf("mapper %d behind the first of the chain reads %s of type %s, but gets %s", i+1, x.half, x.want.Class(), x.got.Class()))
				return bad, bad
			}
		}
		key, val = or(l.Key, or(l.InKey, key)), or(l.Val, or(l.InVal, val))
	}
	return key, val
}

// line is mappers that stand one behind the other.
type line struct {
	links []mapreduce.Mapper
	outs  []emitter // outs[i] takes what comes before links[i]; the last one is the end
}

// emitter hands records to a mapper, or to the task at the end.
type emitter struct {
	c    *mapreduce.Context
	next mapreduce.Mapper // nil: the end
	to   mapreduce.Emitter
}

// Emit implements mapreduce.Emitter.
func (e *emitter) Emit(key, value []byte) error {
	if e.next == nil {
		return e.to.Emit(key, value)
	}
	return e.next.Map(e.c, key, value, e.to)
}

func newLine(classes []mapreduce.MapperClass) line {
	l := line{outs: make([]emitter, len(classes)+1)}
	for i, class := range classes {
		m := newMapper(class)
		l.links = append(l.links, m)
		l.outs[i] = emitter{next: m, to: &l.outs[i+1]}
	}
	return l
}

func (l *line) setup(c *mapreduce.Context) error {
	for i, m := range l.links {
		l.outs[i].c = c
		if s, ok := m.(mapreduce.Setupper); ok {
			if err := s.Setup(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// start gives the emitter at the front; what comes out at the end goes to out.
func (l *line) start(out mapreduce.Emitter) mapreduce.Emitter {
	l.outs[len(l.links)].to = out
	return &l.outs[0]
}

// cleanup ends the links from the front, so that what one says last reaches the ones behind it.
func (l *line) cleanup(c *mapreduce.Context, out mapreduce.Emitter) error {
	l.start(out)
	for i, m := range l.links {
		if x, ok := m.(mapreduce.Cleanuper); ok {
			if err := x.Cleanup(c, &l.outs[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

type mapper struct{ line }

func (m *mapper) Setup(c *mapreduce.Context) error { return m.setup(c) }

func (m *mapper) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	return m.start(out).Emit(key, value)
}

func (m *mapper) Cleanup(c *mapreduce.Context, out mapreduce.Emitter) error {
	return m.cleanup(c, out)
}

type reducer struct {
	own mapreduce.Reducer
	line
}

func (r *reducer) Setup(c *mapreduce.Context) error {
	if s, ok := r.own.(mapreduce.Setupper); ok {
		if err := s.Setup(c); err != nil {
			return err
		}
	}
	return r.setup(c)
}

func (r *reducer) Reduce(c *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	return r.own.Reduce(c, key, values, r.start(out))
}

func (r *reducer) Cleanup(c *mapreduce.Context, out mapreduce.Emitter) error {
	if x, ok := r.own.(mapreduce.Cleanuper); ok {
		if err := x.Cleanup(c, r.start(out)); err != nil {
			return err
		}
	}
	return r.cleanup(c, out)
}

// configured is a mapper that sees settings of its own.
type configured struct {
	own      mapreduce.Mapper
	settings map[string]string
	c        *mapreduce.Context
}

func (m *configured) Setup(c *mapreduce.Context) error {
	own := c.Conf.Clone()
	set(own, m.settings)
	m.c = c.WithConf(own)
	if s, ok := m.own.(mapreduce.Setupper); ok {
		return s.Setup(m.c)
	}
	return nil
}

func set(c *conf.Config, settings map[string]string) {
	for k, v := range settings {
		c.Set(k, v, "chain")
	}
}

func (m *configured) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	return m.own.Map(m.c, key, value, out)
}

func (m *configured) Cleanup(_ *mapreduce.Context, out mapreduce.Emitter) error {
	if x, ok := m.own.(mapreduce.Cleanuper); ok {
		return x.Cleanup(m.c, out)
	}
	return nil
}
