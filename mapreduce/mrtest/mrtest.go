// Package mrtest tests mappers, reducers, and whole jobs without a cluster. Everything runs in the
// calling goroutine, on a file system in memory. Tests check the lines of the output in the form
// "key\tvalue". Start with Map, Reduce, and NewRunner.
package mrtest

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// task runs a mapper or a reducer on a test's records.
type task[KO, VO any] struct {
	t    testing.TB
	fs   memory
	conf *conf.Config
	file string // input file of a map
	out  []Record[KO, VO]
	text []string
	key  mapreduce.Codec[KO]
	val  mapreduce.Codec[VO]
	ctx  *mapreduce.Context
	err  error
}

// Record is an output record.
type Record[K, V any] struct {
	Key   K
	Value V
}

func newTask[KO, VO any](t testing.TB) *task[KO, VO] {
	t.Helper()
	k := &task[KO, VO]{t: t, fs: newMemory(), conf: conf.New(), file: "mem:/in/text"}
	var err error
	if k.key, err = mapreduce.CodecOf[KO](); err == nil {
		k.val, err = mapreduce.CodecOf[VO]()
	}
	if err != nil {
		t.Fatalf("output: %v", err)
	}
	return k
}

// context returns the attempt's context. The first call creates it from the settings.
func (k *task[KO, VO]) context(typ job.TaskType) *mapreduce.Context {
	if k.ctx == nil {
		info := mapreduce.TaskInfo{
			Attempt:      job.AttemptID{TaskID: job.TaskID{Job: job.ID{Cluster: "test", Seq: 1}, Type: typ}},
			JobName:      k.t.Name(),
			WorkDir:      k.t.TempDir(),
			CreateOutput: k.fs.create,
		}
		if typ == job.Map {
			info.Split = &mapreduce.Split{Chunks: []mapreduce.Chunk{{Path: k.file}}}
		}
		env := mapreduce.Env{Conf: info.Configure(k.conf), FS: k.fs}
		k.ctx = mapreduce.NewContext(context.Background(), env, info)
	}
	return k.ctx
}

// Emit receives a record from the mapper or reducer under test.
func (k *task[KO, VO]) Emit(key, value []byte) error {
	rec, text, err := decode(k.key, k.val, bytes.Clone(key), bytes.Clone(value))
	k.out, k.text = append(k.out, rec), append(k.text, text)
	return err
}

func decode[K, V any](kc mapreduce.Codec[K], vc mapreduce.Codec[V], key, value []byte) (r Record[K, V], text string,
	err error) {
	if r.Key, err = kc.Decode(key); err == nil {
		r.Value, err = vc.Decode(value)
	}
	return r, line(kc.Type, vc.Type, key, value), err
}

// line formats a record like TextOutput.
func line(kt, vt mapreduce.Type, key, value []byte) string {
	var parts []string
	if kt != mapreduce.NullWritable {
		parts = append(parts, string(kt.AppendText(nil, key)))
	}
	if vt != mapreduce.NullWritable {
		parts = append(parts, string(vt.AppendText(nil, value)))
	}
	return strings.Join(parts, "\t")
}

// want compares the output with the expected lines, in order.
func (k *task[KO, VO]) want(lines []string) {
	k.t.Helper()
	if k.err != nil {
		k.t.Fatalf("failed: %v", k.err)
	}
	if !slices.Equal(k.text, lines) {
		k.t.Errorf("output:\n%s\nwant:\n%s", indent(k.text), indent(lines))
	}
}

func indent(lines []string) string {
	if len(lines) == 0 {
		return "  (nothing)"
	}
	return "  " + strings.Join(lines, "\n  ")
}

// MapTest drives a mapper. Call Set or InputFile, then Input, then Want.
type MapTest[KI, VI, KO, VO any] struct {
	*task[KO, VO]
	mapper mapreduce.Mapper
	inKey  mapreduce.Codec[KI]
	inVal  mapreduce.Codec[VI]
	ready  bool
}

// Map returns a test of a function for mapreduce.MapFunc.
func Map[KI, VI, KO, VO any](t testing.TB,
	f func(*mapreduce.Context, KI, VI, *mapreduce.Out[KO, VO]) error) *MapTest[KI, VI, KO, VO] {
	t.Helper()
	return newMapTest[KI, VI, KO, VO](t, mapreduce.MapFunc(f))
}

// MapOf returns a test of a mapper with state, as for mapreduce.MapOf.
func MapOf[M mapreduce.TypedMapper[KI, VI, KO, VO], KI, VI, KO, VO any](t testing.TB, make func() M) *MapTest[KI,
	VI, KO, VO] {
	t.Helper()
	return newMapTest[KI, VI, KO, VO](t, mapreduce.MapOf(make))
}

func newMapTest[KI, VI, KO, VO any](t testing.TB, class mapreduce.MapperClass) *MapTest[KI, VI, KO, VO] {
	t.Helper()
	m := &MapTest[KI, VI, KO, VO]{task: newTask[KO, VO](t), mapper: class.New()}
	m.inKey, m.inVal = inputCodecs[KI, VI](t)
	return m
}

func inputCodecs[KI, VI any](t testing.TB) (k mapreduce.Codec[KI], v mapreduce.Codec[VI]) {
	t.Helper()
	k, err := mapreduce.CodecOf[KI]()
	if err == nil {
		v, err = mapreduce.CodecOf[VI]()
	}
	if err != nil {
		t.Fatalf("input: %v", err)
	}
	return k, v
}

// Set sets a configuration key. Call it before the first Input.
func (m *MapTest[KI, VI, KO, VO]) Set(key, value string) *MapTest[KI, VI, KO, VO] {
	m.conf.Set(key, value, "test")
	return m
}

// InputFile sets the file that the map's split consists of, which Context.InputFile returns. The
// default is mem:/in/text. Call it before the first Input.
func (m *MapTest[KI, VI, KO, VO]) InputFile(path string) *MapTest[KI, VI, KO, VO] {
	m.file = path
	return m
}

// Input passes a record to the mapper.
func (m *MapTest[KI, VI, KO, VO]) Input(key KI, value VI) *MapTest[KI, VI, KO, VO] {
	m.setup()
	if m.err == nil {
		m.err = m.mapper.Map(m.ctx, m.inKey.Append(nil, key), m.inVal.Append(nil, value), m)
	}
	return m
}

func (m *MapTest[KI, VI, KO, VO]) setup() {
	if m.ready {
		return
	}
	m.ready = true
	m.context(job.Map)
	if s, ok := m.mapper.(mapreduce.Setupper); ok {
		m.err = s.Setup(m.ctx)
	}
}

// Done ends the input and returns the mapper's output and first error. It calls Cleanup if there was
// no error, and it always calls Close. Call either Done or Want, once.
func (m *MapTest[KI, VI, KO, VO]) Done() ([]Record[KO, VO], error) {
	m.setup()
	if x, ok := m.mapper.(mapreduce.Closer); ok {
		defer x.Close()
	}
	if c, ok := m.mapper.(mapreduce.Cleanuper); ok && m.err == nil {
		m.err = c.Cleanup(m.ctx, m)
	}
	return m.out, m.err
}

// Want ends the input and compares the output with lines, in the order of emission.
func (m *MapTest[KI, VI, KO, VO]) Want(lines ...string) *MapTest[KI, VI, KO, VO] {
	m.t.Helper()
	m.Done()
	m.want(lines)
	return m
}

// Context returns the attempt's context, which contains its counters and status.
func (m *MapTest[KI, VI, KO, VO]) Context() *mapreduce.Context { return m.context(job.Map) }

// ReduceTest drives a reducer or combiner. Call Set, then Input, then Want.
type ReduceTest[KI, VI, KO, VO any] struct {
	*task[KO, VO]
	reducer mapreduce.Reducer
	inKey   mapreduce.Codec[KI]
	inVal   mapreduce.Codec[VI]
	ready   bool
}

// Reduce returns a test of a function for mapreduce.ReduceFunc.
func Reduce[KI, VI, KO, VO any](t testing.TB,
	f func(*mapreduce.Context, KI, iter.Seq[VI], *mapreduce.Out[KO, VO]) error) *ReduceTest[KI, VI, KO, VO] {
	t.Helper()
	return newReduceTest[KI, VI, KO, VO](t, mapreduce.ReduceFunc(f))
}

// ReduceOf returns a test of a reducer with state, as for mapreduce.ReduceOf.
func ReduceOf[R mapreduce.TypedReducer[KI, VI, KO, VO], KI, VI, KO, VO any](t testing.TB, make func() R) *ReduceTest[KI,
	VI, KO, VO] {
	t.Helper()
	return newReduceTest[KI, VI, KO, VO](t, mapreduce.ReduceOf(make))
}

func newReduceTest[KI, VI, KO, VO any](t testing.TB, class mapreduce.ReducerClass) *ReduceTest[KI, VI, KO, VO] {
	t.Helper()
	r := &ReduceTest[KI, VI, KO, VO]{task: newTask[KO, VO](t), reducer: class.New()}
	r.inKey, r.inVal = inputCodecs[KI, VI](t)
	return r
}

// Set sets a configuration key. Call it before the first Input.
func (r *ReduceTest[KI, VI, KO, VO]) Set(key, value string) *ReduceTest[KI, VI, KO, VO] {
	r.conf.Set(key, value, "test")
	return r
}

// Input passes a group to the reducer.
func (r *ReduceTest[KI, VI, KO, VO]) Input(key KI, values ...VI) *ReduceTest[KI, VI, KO, VO] {
	r.setup()
	if r.err != nil {
		return r
	}
	k := r.inKey.Append(nil, key)
	r.ctx.SetKey(k)
	r.err = r.reducer.Reduce(r.ctx, k, func(yield func([]byte) bool) {
		var buf []byte // shared buffer, which exposes reducers that retain a value
		for _, v := range values {
			if buf = r.inVal.Append(buf[:0], v); !yield(buf) {
				return
			}
		}
	}, r)
	return r
}

func (r *ReduceTest[KI, VI, KO, VO]) setup() {
	if r.ready {
		return
	}
	r.ready = true
	r.context(job.Reduce)
	if s, ok := r.reducer.(mapreduce.Setupper); ok {
		r.err = s.Setup(r.ctx)
	}
}

// Done ends the input and returns the reducer's output and first error. It calls Cleanup if there was
// no error, and it always calls Close. Call either Done or Want, once.
func (r *ReduceTest[KI, VI, KO, VO]) Done() ([]Record[KO, VO], error) {
	r.setup()
	if x, ok := r.reducer.(mapreduce.Closer); ok {
		defer x.Close()
	}
	if c, ok := r.reducer.(mapreduce.Cleanuper); ok && r.err == nil {
		r.err = c.Cleanup(r.ctx, r)
	}
	return r.out, r.err
}

// Want ends the input and compares the output with lines, in the order of emission.
func (r *ReduceTest[KI, VI, KO, VO]) Want(lines ...string) *ReduceTest[KI, VI, KO, VO] {
	r.t.Helper()
	r.Done()
	r.want(lines)
	return r
}

// Context returns the attempt's context, which contains its counters and status.
func (r *ReduceTest[KI, VI, KO, VO]) Context() *mapreduce.Context { return r.context(job.Reduce) }
