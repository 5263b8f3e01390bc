package mapreduce_test

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/howdah/howdah/mapreduce"
)

// best keeps the k records with the largest numbers. It is the mapper and the reducer of a job.
type best struct {
	k   int
	all []record
}

type record struct {
	Name string
	N    int64
}

func (b *best) add(r record) {
	i, _ := slices.BinarySearchFunc(b.all, r, func(a, r record) int {
		return cmp.Or(cmp.Compare(r.N, a.N), cmp.Compare(a.Name, r.Name))
	})
	b.all = slices.Insert(b.all, i, r)
	b.all = b.all[:min(b.k, len(b.all))]
}

func (b *best) Map(_ *mapreduce.Context, name, n string,
	_ *mapreduce.Out[mapreduce.Null, mapreduce.JSON[record]]) error {
	number, err := strconv.ParseInt(n, 10, 64)
	b.add(record{name, number})
	return err
}

func (b *best) Reduce(_ *mapreduce.Context, _ mapreduce.Null, records iter.Seq[mapreduce.JSON[record]],
	_ *mapreduce.Out[mapreduce.Null, mapreduce.JSON[record]]) error {
	for r := range records {
		b.add(r.V)
	}
	return nil
}

// Cleanup emits the task's best records after its last record.
func (b *best) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[mapreduce.Null, mapreduce.JSON[record]]) error {
	for _, r := range b.all {
		out.Emit(mapreduce.Null{}, mapreduce.JSON[record]{V: r})
	}
	return nil
}

// This example finds the two largest numbers. Each map emits only its own two, so a single reducer
// suffices. A key without content sends all records to that reducer.
func Example_topK() {
	top := func() *best { return &best{k: 2} }
	runOn(&mapreduce.Job{
		Name:    "top",
		Input:   mapreduce.KeyValueTextInput{},
		Mapper:  mapreduce.MapOf(top),
		Reducer: mapreduce.ReduceOf(top),
	}, map[string]string{"a": "ann\t3\nbea\t9\ncid\t4\n", "b": "dan\t7\neve\t9\nfay\t1\n"})
	// Output:
	// {"Name":"bea","N":9}
	// {"Name":"eve","N":9}
}
