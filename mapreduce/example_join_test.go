package mapreduce_test

import (
	"iter"
	"path"

	"github.com/howdah/howdah/mapreduce"
)

// row is a row of one of the two tables that the example joins.
type row struct{ Name, Item string }

// This example joins two files by their keys in the reducers. The mapper tags each value with the
// table that it belongs to. MultipleInputs does the same with a mapper for each table, and package
// mapreduce/join joins sorted inputs in the maps.
func Example_join() {
	tag := func(c *mapreduce.Context, id, value string, out *mapreduce.Out[string, mapreduce.JSON[row]]) error {
		if path.Base(c.InputFile()) == "users" {
			out.Emit(id, mapreduce.JSON[row]{V: row{Name: value}})
		} else {
			out.Emit(id, mapreduce.JSON[row]{V: row{Item: value}})
		}
		return nil
	}
	join := func(_ *mapreduce.Context, _ string, rows iter.Seq[mapreduce.JSON[row]],
		out *mapreduce.Out[string, string]) error {
		var name string
		var items []string
		for r := range rows {
			if r.V.Name != "" {
				name = r.V.Name
			} else {
				items = append(items, r.V.Item)
			}
		}
		for _, item := range items {
			out.Emit(name, item)
		}
		return nil
	}
	runOn(&mapreduce.Job{
		Name:    "join",
		Input:   mapreduce.KeyValueTextInput{},
		Mapper:  mapreduce.MapFunc(tag),
		Reducer: mapreduce.ReduceFunc(join),
	}, map[string]string{"users": "1\tada\n2\tbob\n", "orders": "2\tpen\n1\tink\n2\tcup\n"})
	// Output:
	// ada	ink
	// bob	pen
	// bob	cup
}
