// Package schemes combines all file systems that a path can refer to. It is the only package that
// imports all of them. Programs start with Resolver, and daemons start with NewDaemon.
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

// Resolver returns a resolver for the file and hdfs schemes that acts for the process's user. It
// connects to an HDFS when a path on it is first used. log receives messages about damaged
// replicas, lost nodes, and long waits, and may be nil. The caller must Close the resolver after
// use.
func Resolver(c *conf.Config, log func(text string)) (*dfs.Set, error) {
	return ResolverAs(c, security.Options{}, log)
}

// ResolverAs is like Resolver, but acts for the caller that who selects, such as the user of a job.
// If who names a user, a process that runs as root accesses local files with that user's
// permissions. If this machine does not have the user, any use of a local file returns an error of
// kind Permission.
func ResolverAs(c *conf.Config, who security.Options, log func(text string)) (*dfs.Set, error) {
	c = atHome(c, who)
	return dfs.NewSet(c, map[string]dfs.Constructor{
		"file": localAs(c, who.User),
		"hdfs": hdfs.Constructor(c, who, log),
	})
}

func localAs(c *conf.Config, user string) dfs.Constructor {
	own := local.Constructor(c)
	if user == "" {
		return own
	}
	return func(authority string) (dfs.FileSystem, error) {
		fs, err := own(authority)
		if err != nil {
			return nil, err
		}
		return fs.(dfs.Impersonator).As(user)
	}
}

// Warn returns a log function that writes each message to w as a one-line warning.
func Warn(w io.Writer) func(text string) {
	return func(text string) { fmt.Fprintln(w, "warning:", text) }
}

// atHome returns a configuration in which relative paths start in the caller's HDFS home directory
// if fs.defaultFS is an HDFS and no working directory is configured. The caller's name in HDFS can
// differ from the user of the process.
func atHome(c *conf.Config, who security.Options) *conf.Config {
	if conf.JobWorkingDir.Get(c) != "" || !strings.HasPrefix(strings.TrimSpace(conf.FSDefaultFS.Get(c)), "hdfs:") {
		return c
	}
	name := who.User
	if name == "" {
		name = security.User(c)
	}
	c = c.Clone()
	c.Set(conf.JobWorkingDir.Name, "/user/"+name, "user")
	return c
}
