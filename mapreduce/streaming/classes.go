package streaming

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
)

// The classes that can replace a command. Hadoop requires their package. In howdah, the simple name
// suffices because it is unlikely to be the name of a command.
var (
	mapperNames  = library.Mappers
	reducerNames = library.Reducers
)

// The reducer and the combiner for -reducer aggregate.
const (
	aggregateReducer  = "org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorReducer"
	aggregateCombiner = "org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorCombiner"
)

// isClass reports whether word is one of the class names in names rather than a command. word can
// include Hadoop's package.
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

// mapperByClass returns the mapper for the class in conf.JobMapClass. The default is the identity.
func mapperByClass(c *conf.Config) (mapreduce.MapperClass, error) {
	in, err := mapreduce.InputByClass(c, conf.JobInputFormatClass.Name, conf.JobInputFormatClass.Get(c))
	if err != nil {
		return mapreduce.MapperClass{}, err
	}
	key, value := in.Types(c)
	class, err := library.Mapper(conf.JobMapClass.Get(c), key, value)
	if err != nil {
		return class, unknown(c, conf.JobMapClass.Name, mapperNames)
	}
	return class, nil
}

// reducerByClass returns the reducer or combiner for the class that is the value of key. The
// default is the identity.
func reducerByClass(c *conf.Config, key string) (mapreduce.ReducerClass, error) {
	class, err := library.Reducer(c.Get(key))
	if err != nil {
		return class, unknown(c, key, reducerNames)
	}
	return class, nil
}

func unknown(c *conf.Config, key string, names []string) error {
	return c.Refuse(key, errors.New("howdah does not have this class and does not run Java classes")).
		Fix(fmt.Sprintf("use a command, or one of %s", strings.Join(names, ", ")))
}
