package mapreduce_test

import (
	"strconv"

	"github.com/howdah/howdah/mapreduce"
)

// This example finds the highest temperature of each station, and counts the measurements. Both
// jobs have the same mapper. The reducer is declared, so it needs no code, and it is also the
// combiner.
func Example_aggregations() {
	measured := mapreduce.MapFunc(func(_ *mapreduce.Context, station, celsius string,
		out *mapreduce.Out[string, float64]) error {
		f, err := strconv.ParseFloat(celsius, 64)
		out.Emit(station, f)
		return err
	})
	for _, r := range []mapreduce.ReducerClass{mapreduce.Max[float64](), mapreduce.Count()} {
		runOn(&mapreduce.Job{
			Name:     "temperatures",
			Input:    mapreduce.KeyValueTextInput{},
			Mapper:   measured,
			Combiner: r,
			Reducer:  r,
		}, map[string]string{"a": "Oslo\t-3.5\nRome\t14\nOslo\t-8\n", "b": "Rome\t9.5\nOslo\t-11\n"})
	}
	// Output:
	// Oslo	-3.5
	// Rome	14.0
	// Oslo	3
	// Rome	2
}
