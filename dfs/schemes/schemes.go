// Package catalog composes the file systems that paths may name: it alone knows all of them.
package catalog

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/local"
)

// Resolver gives a resolver for the schemes file and hdfs. Nothing is connected before a path is used. log hears of damaged replicas,
// lost nodes and long waits; nil = nobody does. Close the resolver when it is no longer needed.
func Resolver(c *conf.Config, log func(text string)) (*dfs.Set, error) {
	return dfs.NewSet(c, map[string]dfs.Constructor{
		"file": local.Constructor(c),
		"hdfs": hdfs.Constructor(c, log),
	})
}
