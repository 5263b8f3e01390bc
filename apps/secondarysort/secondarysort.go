// Package secondarysort sorts pairs of numbers by the first number and then by the second. The
// framework sorts, so the reducer keeps no records in memory.
package secondarysort

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/howdah/howdah/mapreduce"
)

// separator precedes each group, as in Hadoop's example.
const separator = "------------------------------------------------"

// Job returns the secondarysort job. A line of input contains two 32-bit numbers. A missing second
// number is 0. The job ignores empty lines and additional words in a line.
func Job() *mapreduce.Job {
	return &mapreduce.Job{
		Name:        "secondarysort",
		Short:       "sorts pairs of numbers by the first and then the second number",
		Usage:       "<in>… <out>",
		Mapper:      mapreduce.MapFunc(pairs),
		Reducer:     mapreduce.ReduceFunc(groups),
		Partitioner: mapreduce.FirstOfPairPartition,
		Group:       mapreduce.FirstOfPair,
	}
}

func pairs(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[mapreduce.IntPair, int32]) error {
	f := strings.Fields(line)
	if len(f) == 0 {
		return nil
	}
	var n [2]int32
	for i := range min(len(f), 2) {
		x, err := strconv.ParseInt(f[i], 10, 32)
		if err != nil {
			return fmt.Errorf("line %q: %w", line, err)
		}
		n[i] = int32(x)
	}
	out.Emit(mapreduce.IntPair{First: n[0], Second: n[1]}, n[1])
	return nil
}

func groups(_ *mapreduce.Context, key mapreduce.IntPair, seconds iter.Seq[int32],
	out *mapreduce.Out[string, mapreduce.Null]) error {
	out.Emit(separator, mapreduce.Null{})
	first := strconv.Itoa(int(key.First)) + "\t"
	for s := range seconds {
		out.Emit(first+strconv.Itoa(int(s)), mapreduce.Null{})
	}
	return out.Err()
}
