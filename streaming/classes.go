package streaming

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
)

// The classes that can stand where a command can. Hadoop wants the package; without it the name is a class only if no such
// command is meant, so a name alone is taken as well.
var (
	mapperNames  = library.Mappers
	reducerNames = library.Reducers
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
	in, err := mapreduce.InputByClass(c, mapreduce.KeyInputClass, c.Get(mapreduce.KeyInputClass))
	if err != nil {
		return mapreduce.MapperClass{}, err
	}
	key, value := in.Types(c)
	class, err := library.Mapper(c.Get(keyMapClass), key, value)
	if err != nil {
		return class, unknown(c, keyMapClass, mapperNames)
	}
	return class, nil
}

// reducerByClass makes the reducer or combiner that a configuration names, by default the identity.
func reducerByClass(c *conf.Config, key string, _, _ mapreduce.Type) (mapreduce.ReducerClass, error) {
	class, err := library.Reducer(c.Get(key))
	if err != nil {
		return class, unknown(c, key, reducerNames)
	}
	return class, nil
}

func unknown(c *conf.Config, key string, names []string) error {
	return c.Refuse(key, errors.New("no such class here: Java classes do not run")).
		Fix(fmt.Sprintf("use a command, or one of %s", strings.Join(names, ", ")))
}
