// Package chain runs several mappers in sequence within a task, like Hadoop's ChainMapper and
// ChainReducer. Each mapper receives the records that the previous mapper emits, one by one,
// without copies or intermediate storage.
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

// Mapper returns a mapper that runs links in sequence. The output types of each mapper must match
// the input types of the next; otherwise Job.Validate rejects the job. Without links, Mapper
// returns the identity mapper.
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

// Reducer returns a reducer that passes the output of r through links in sequence, as Mapper does.
func Reducer(r mapreduce.ReducerClass, links ...mapreduce.MapperClass) mapreduce.ReducerClass {
	out := r
	out.Key, out.Val = follow(or(r.Key, r.InKey), or(r.Val, r.InVal), links)
	out.New = func() mapreduce.Reducer {
		return &reducer{own: (&mapreduce.Job{Reducer: r}).NewReducer(), line: newLine(links)}
	}
	return out
}

// Configured returns a mapper that runs link with additional settings. The settings do not affect
// other links.
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

// follow returns the output types of the last link, given the input types of the first. If a link
// does not accept the output types of the previous link, follow returns types that Job.Validate
// rejects.
func follow(key, val mapreduce.Type, links []mapreduce.MapperClass) (mapreduce.Type, mapreduce.Type) {
	for i, l := range links {
		for _, x := range []struct {
			half      string
			want, got mapreduce.Type
		}{{"keys", l.InKey, key}, {"values", l.InVal, val}} {
			if x.want != nil && x.got != nil && x.want.Class() != x.got.Class() {
				bad := mapreduce.InvalidType(fmt.Errorf("mapper %d after the first of the chain reads %s "+
					"of type %s, but receives %s",
					i+1, x.half, x.want.Class(), x.got.Class()))
				return bad, bad
			}
		}
		key, val = or(l.Key, or(l.InKey, key)), or(l.Val, or(l.InVal, val))
	}
	return key, val
}

// line is a sequence of mappers.
type line struct {
	links []mapreduce.Mapper
	outs  []emitter // outs[i] receives the input of links[i]; the last one receives the output of the chain
}

// emitter passes records to the next mapper, or from the last mapper to the task.
type emitter struct {
	c    *mapreduce.Context
	next mapreduce.Mapper // nil = end of the chain
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

// start returns the emitter that feeds the first link. The last link emits to out.
func (l *line) start(out mapreduce.Emitter) mapreduce.Emitter {
	l.outs[len(l.links)].to = out
	return &l.outs[0]
}

// cleanup cleans up the links in order, so that the final output of each passes through the
// following links.
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

// Close implements mapreduce.Closer. It closes the links in reverse order, even if one panics.
func (l *line) Close() {
	for _, m := range l.links {
		defer closeUser(m)
	}
}

func closeUser(user any) {
	if x, ok := user.(mapreduce.Closer); ok {
		x.Close()
	}
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

func (r *reducer) Close() {
	defer closeUser(r.own)
	r.line.Close()
}

// configured is a mapper with its own settings.
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

func (m *configured) Close() { closeUser(m.own) }
