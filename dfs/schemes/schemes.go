// Package schemes composes the file systems that paths may name: it alone knows all of them.
package schemes

import (
	"fmt"
	"io"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/local"
)

// Resolver gives a resolver for the schemes file and hdfs, in the name of whoever runs the process. Nothing is connected before a
// path is used. log hears of damaged replicas, lost nodes and long waits; nil = nobody does. Close the resolver when it is no
// longer needed.
func Resolver(c *conf.Config, log func(text string)) (*dfs.Set, error) {
	return ResolverAs(c, security.Options{}, log)
}

// ResolverAs gives a resolver in somebody else's name: that of a job's user.
func ResolverAs(c *conf.Config, who security.Options, log func(text string)) (*dfs.Set, error) {
	c = atHome(c, who)
	return dfs.NewSet(c, map[string]dfs.Constructor{
		"file": local.Constructor(c),
		"hdfs": hdfs.Constructor(c, who, log),
	})
}

// Warn gives a log that writes warnings, a line each.
func Warn(w io.Writer) func(text string) {
	return func(text string) { fmt.Fprintln(w, "warning:", text) }
}

const keyWorkingDir = "mapreduce.job.working.dir"

// atHome lets relative paths begin in the home of whom HDFS takes the caller for, which need not be who runs the process.
func atHome(c *conf.Config, who security.Options) *conf.Config {
	if c.Get(keyWorkingDir) != "" || !strings.HasPrefix(strings.TrimSpace(c.Get("fs.defaultFS")), "hdfs:") {
		return c
	}
	name := who.User
	if name == "" {
		name = security.User(c)
	}
	c = c.Clone()
	c.Set(keyWorkingDir, "/user/"+name, "user")
	return c
}
