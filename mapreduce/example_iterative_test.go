package mapreduce_test

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// spread is the mapper of a round. A line consists of a node, its label, and its neighbors. The
// mapper sends the label to the neighbors and passes on the node.
func spread(_ *mapreduce.Context, node, rest string, out *mapreduce.Out[string, string]) error {
	out.Emit(node, rest)
	label, neighbors, _ := strings.Cut(rest, " ")
	for n := range strings.FieldsSeq(neighbors) {
		out.Emit(n, label)
	}
	return nil
}

// smallest is the reducer of a round. It gives the node the smallest label and counts the nodes whose
// label has changed.
func smallest(c *mapreduce.Context, node string, all iter.Seq[string], out *mapreduce.Out[string, string]) error {
	var least, own, neighbors string
	for v := range all {
		label, rest, isNode := strings.Cut(v, " ")
		if isNode {
			own, neighbors = label, rest
		}
		if least == "" || label < least {
			least = label
		}
	}
	if least != own {
		changed, err := c.Counter("components", "changed")
		if err != nil {
			return err
		}
		changed.Add(1)
	}
	out.Emit(node, least+" "+neighbors)
	return nil
}

// This example finds the connected components of a graph. Its driver repeats a job, whose input is the
// output of the previous round, until a counter shows that nothing has changed.
func Example_iterative() {
	round := &mapreduce.Job{Name: "components", Input: mapreduce.KeyValueTextInput{},
		Mapper: mapreduce.MapFunc(spread), Reducer: mapreduce.ReduceFunc(smallest)}
	app := &mapreduce.App{Name: "components", Usage: "<in> <out>", Jobs: []*mapreduce.Job{round},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			in := args[0]
			for i := 1; ; i++ {
				c := r.Conf().Clone()
				out := fmt.Sprintf("%s/%d", args[1], i)
				mapreduce.SetInputPaths(c, in)
				mapreduce.SetOutputPath(c, out)
				result, err := r.Run(ctx, round, c)
				if err != nil {
					return err
				}
				changed, _ := result.Counters.Get("components", "changed")
				fmt.Fprintf(r.Stdout(), "round %d: %d changed\n", i, changed)
				if changed == 0 {
					return nil
				}
				in = out
			}
		}}

	r := mrtest.NewRunner()
	if err := r.WriteFile("/in/graph", "a\ta b\nb\tb a c\nc\tc b\nd\td e\ne\te d\n"); err != nil {
		panic(err)
	}
	if err := app.Run(context.Background(), r, []string{"/in", "/out"}); err != nil {
		panic(err)
	}
	out, err := r.Output("/out/3")
	if err != nil {
		panic(err)
	}
	fmt.Print(r.Printed(), out)
	// Output:
	// round 1: 3 changed
	// round 2: 1 changed
	// round 3: 0 changed
	// a	a b
	// b	a a c
	// c	a b
	// d	d e
	// e	d d
}
