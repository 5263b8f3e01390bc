package streaming

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
)

// The classes that can stand where a command can. Hadoop wants the package; without it the name is a class only if no such
// command is meant, so a name alone is taken as well.
var (
	mapperNames  = []string{"IdentityMapper", "InverseMapper"}
	reducerNames = []string{"IdentityReducer", "LongSumReducer", "IntSumReducer", "ValueAggregatorReducer", "ValueAggregatorCombiner"}
)

// What -reducer aggregate stands for.
const (
	aggregateReducer  = "org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorReducer"
	aggregateCombiner = "org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorCombiner"
)

// isClass tells a class of one of the tables, with Hadoop's package or without any, from a command.
func isClass(word string, names []string) bool {
	name := simpleName(word)
	if word != name && !strings.HasPrefix(word, "org.apache.hadoop.") {
		return false
	}
	for _, n := range names {
		if n == name || word == "org.apache.hadoop.mapreduce."+strings.TrimPrefix(n, "Identity") {
			return true
		}
	}
	return false
}

// mapperByClass makes the mapper that a configuration names, by default the identity.
func mapperByClass(c *conf.Config) (mapreduce.MapperClass, error) {
	switch simpleName(c.Get(keyMapClass)) {
	case "", "IdentityMapper", "Mapper":
		return mapreduce.MapperClass{}, nil
	case "InverseMapper":
		return inverse(c), nil
	}
	return mapreduce.MapperClass{}, unknown(c, keyMapClass, mapperNames)
}

// reducerByClass makes the reducer or combiner that a configuration names, by default the identity.
func reducerByClass(c *conf.Config, key string, _, _ mapreduce.Type) (mapreduce.ReducerClass, error) {
	switch simpleName(c.Get(key)) {
	case "", "IdentityReducer", "Reducer":
		return mapreduce.ReducerClass{}, nil
	case "ValueAggregatorReducer":
		return aggregate.Reducer(), nil
	case "ValueAggregatorCombiner":
		return aggregate.Combiner(), nil
	case "LongSumReducer":
		return mapreduce.Sum[int64](), nil
	case "IntSumReducer":
		return mapreduce.Sum[int32](), nil
	}
	return mapreduce.ReducerClass{}, unknown(c, key, reducerNames)
}

func unknown(c *conf.Config, key string, names []string) error {
	return c.Refuse(key, errors.New("no such class here: Java classes do not run")).
		Fix(fmt.Sprintf("use a command, or one of %s", strings.Join(names, ", ")))
}

// inverse swaps key and value.
func inverse(c *conf.Config) mapreduce.MapperClass {
	in, err := mapreduce.InputByClass(c, mapreduce.KeyInputClass, c.Get(mapreduce.KeyInputClass))
	if err != nil {
		return mapreduce.MapperClass{} // the job's check tells it
	}
	key, value := in.Types(c)
	return mapreduce.MapperClass{New: func() mapreduce.Mapper { return swapped{} }, Key: value, Val: key}
}

type swapped struct{}

func (swapped) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	return out.Emit(value, key)
}
