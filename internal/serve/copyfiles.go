package serve

import (
	"errors"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// copyFiles resolves the paths of a copy. It accesses files in an MR-cluster's own HDFS as the
// agent, which started that HDFS. It accesses all other files as the user who requested the
// MR-cluster.
type copyFiles struct {
	agent, user *dfs.Set
	own         string // URI of the MR-cluster's own HDFS; "" means none
}

func openCopy(c *conf.Config, spec *mrcluster.Spec, nameNode string) (*copyFiles, error) {
	f := &copyFiles{}
	var err error
	if f.agent, err = schemes.Resolver(c, func(string) {}); err != nil {
		return nil, err
	}
	if f.user, err = openAs(c, spec, f.agent); err == nil && nameNode != "" {
		var own dfs.FileSystem
		if own, _, err = f.agent.Resolve(nameNode + "/"); err == nil {
			f.own = own.URI()
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openAs returns file systems for the user who requested an MR-cluster. If the agent runs as that
// user, openAs returns agent.
func openAs(c *conf.Config, spec *mrcluster.Spec, agent *dfs.Set) (*dfs.Set, error) {
	switch {
	case spec.User == passwd.Me(), spec.User == "" && os.Geteuid() != 0:
		return agent, nil
	case spec.User == "":
		return nil, failure.New(failure.Permission, "copy the data of MR-cluster", spec.Name,
			errors.New("the request does not name its user, and the agent runs as root")).
			Fix("remove the MR-cluster and create it again")
	}
	return schemes.ResolverAs(c, security.Options{User: spec.User}, func(string) {})
}

// Resolve implements dfs.Resolver.
func (f *copyFiles) Resolve(name string) (dfs.FileSystem, string, error) {
	fs, path, err := f.user.Resolve(name)
	if err == nil && f.isOwn(fs) {
		return f.agent.Resolve(name)
	}
	return fs, path, err
}

// isOwn reports whether a file system is the MR-cluster's own HDFS.
func (f *copyFiles) isOwn(fs dfs.FileSystem) bool { return f.own != "" && fs.URI() == f.own }

// Close closes the file systems.
func (f *copyFiles) Close() error {
	err := f.agent.Close()
	if f.user != nil && f.user != f.agent {
		err = errors.Join(err, f.user.Close())
	}
	return err
}
