// Package schemes combines all file systems that a path can refer to. It is the only package that
// imports all of them. Programs start with Resolver, and daemons start with NewDaemon.
package schemes

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job/failure"
)

// Resolver returns a resolver for the file and hdfs schemes, and those that the program has added,
// that acts for the process's user. It connects to an HDFS when a path on it is first used. log receives messages about damaged
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
	all := map[string]dfs.Constructor{
		"file": as(who.User, local.Constructor(c)),
		"hdfs": hdfs.Constructor(c, who, log),
	}
	added.Range(func(scheme, open any) bool {
		all[scheme.(string)] = as(who.User, func(authority string) (dfs.FileSystem, error) {
			return open.(Constructor)(c, authority)
		})
		return true
	})
	return dfs.NewSet(c, all)
}

// Constructor creates a file system of a program's own for one authority, such as host:port. c is
// the configuration of the resolver.
type Constructor = func(c *conf.Config, authority string) (dfs.FileSystem, error)

// added contains the Constructors of the program's own file systems, by scheme.
var added sync.Map

var validScheme = regexp.MustCompile("^[a-z][a-z0-9]*$")

// Add adds a file system to the resolvers that this process creates later. It returns an error of
// kind Config if the scheme is invalid or taken.
func Add(scheme string, open Constructor) error {
	why := ""
	switch {
	case !validScheme.MatchString(scheme):
		why = "a scheme consists of lower-case letters and digits"
	case scheme == "file" || scheme == "hdfs":
		why = "howdah has this scheme"
	default:
		if _, taken := added.LoadOrStore(scheme, open); taken {
			why = "the program has already added this scheme"
		}
	}
	if why != "" {
		return failure.New(failure.Config, "add file system", scheme, errors.New(why))
	}
	return nil
}

// as returns a constructor whose file systems act for user, if they can (dfs.Impersonator) and user
// is not "".
func as(user string, open dfs.Constructor) dfs.Constructor {
	if user == "" {
		return open
	}
	return func(authority string) (dfs.FileSystem, error) {
		fs, err := open(authority)
		if i, ok := fs.(dfs.Impersonator); ok && err == nil {
			return i.As(user)
		}
		return fs, err
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
