// Command everyapp contains the bundled applications for the integration tests. An application with a
// combiner is also available without the combiner, as NAME-nocombine. If everyapp.hold=DIR is set,
// map tasks wait until the file DIR/map exists, and reduce tasks wait until DIR/reduce exists, so
// that a test can kill them. Some tasks wait before their first record, some after their first, and
// some after their last.
package main

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/apps"
	"github.com/howdah/howdah/mapreduce"
)

func main() {
	var programs []mapreduce.Program
	for _, p := range apps.All() {
		programs = append(programs, held(p.App()))
	}
	for _, p := range apps.All() {
		if a := p.App(); withoutCombiner(a) {
			programs = append(programs, held(a))
		}
	}
	howdah.Main(programs...)
}

// withoutCombiner removes the combiners from an application's jobs, and appends -nocombine to the
// application's names. It reports whether any job had a combiner.
func withoutCombiner(a *mapreduce.App) bool {
	any := false
	a.Name += "-nocombine"
	for _, j := range a.Jobs {
		any = any || j.HasCombiner()
		j.Name += "-nocombine"
		j.Combiner = mapreduce.ReducerClass{}
	}
	return any
}

func held(a *mapreduce.App) *mapreduce.App {
	for _, j := range a.Jobs {
		original := *j
		j.Mapper.New = func() mapreduce.Mapper { return &mapper{hold{phase: "map"}, original.NewMapper()} }
		j.Reducer.New = func() mapreduce.Reducer { return &reducer{hold{phase: "reduce"}, original.NewReducer()} }
	}
	return a
}

// hold makes the tasks of one type wait.
type hold struct {
	phase string
	moved bool // whether the first record has passed
}

const (
	atSetup = iota
	atRecord
	atCleanup
	places
)

func (h *hold) at(c *mapreduce.Context, place int) error {
	dir := c.Conf.Get("everyapp.hold")
	if dir == "" || c.Partition()%places != place {
		return nil
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, h.phase)); err == nil {
			return nil
		}
		select {
		case <-c.Context().Done():
			return context.Cause(c.Context())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (h *hold) record(c *mapreduce.Context) error {
	if h.moved {
		return nil
	}
	h.moved = true
	return h.at(c, atRecord)
}

type mapper struct {
	hold
	mapreduce.Mapper
}

func (m *mapper) Setup(c *mapreduce.Context) error {
	if err := m.at(c, atSetup); err != nil {
		return err
	}
	return setup(m.Mapper, c)
}

func (m *mapper) Map(c *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	err := m.Mapper.Map(c, key, value, out)
	if err != nil {
		return err
	}
	return m.record(c)
}

func (m *mapper) Cleanup(c *mapreduce.Context, out mapreduce.Emitter) error {
	if err := m.at(c, atCleanup); err != nil {
		return err
	}
	return cleanup(m.Mapper, c, out)
}

type reducer struct {
	hold
	mapreduce.Reducer
}

func (r *reducer) Setup(c *mapreduce.Context) error {
	if err := r.at(c, atSetup); err != nil {
		return err
	}
	return setup(r.Reducer, c)
}

func (r *reducer) Reduce(c *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	if err := r.Reducer.Reduce(c, key, values, out); err != nil {
		return err
	}
	return r.record(c)
}

func (r *reducer) Cleanup(c *mapreduce.Context, out mapreduce.Emitter) error {
	if err := r.at(c, atCleanup); err != nil {
		return err
	}
	return cleanup(r.Reducer, c, out)
}

func setup(of any, c *mapreduce.Context) error {
	if s, ok := of.(mapreduce.Setupper); ok {
		return s.Setup(c)
	}
	return nil
}

func cleanup(of any, c *mapreduce.Context, out mapreduce.Emitter) error {
	if s, ok := of.(mapreduce.Cleanuper); ok {
		return s.Cleanup(c, out)
	}
	return nil
}
