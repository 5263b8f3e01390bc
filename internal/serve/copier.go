package serve

import (
	"context"
	"io"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/apps/distcp"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/replace"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// copier makes the copies that an MR-cluster names as distcp does, with the maps in this process.
type copier struct {
	conf *conf.Config
	dir  string // for what the maps need
}

// copy implements master.Config.Copy. Files that are at the target already are left alone, so that a copy that was cut off goes on when it is
// ordered again. An MR-cluster's own HDFS is new: what lies there was loaded or made by its jobs. Elsewhere only what the same copy has put there
// before is replaced, as a whole, and when the new one is complete.
func (k copier) copy(ctx context.Context, spec *mrcluster.Spec, nameNode string, x mrcluster.Copy) error {
	c := k.settings(spec, nameNode)
	set, err := schemes.Resolver(c, func(string) {})
	if err != nil {
		return err
	}
	defer set.Close()
	tree, err := findSource(ctx, set, x.From)
	if err != nil {
		return err
	}
	fs, path, err := set.Resolve(x.To)
	if err != nil {
		return err
	}
	own, err := isOwn(set, nameNode, fs)
	if err != nil {
		return err
	}
	r, err := runner.New(runner.Config{Conf: c, FS: set, Stdout: io.Discard})
	if err != nil {
		return err
	}
	if own {
		return distcp.App().Run(ctx, r, []string{"-update", x.From, x.To})
	}
	target := replace.Target{FS: fs, Path: path, Owner: "MR-cluster " + spec.Name + " from " + x.From}
	return target.With(ctx, func(ctx context.Context, to string) error {
		if err := clearAway(ctx, fs, to, tree); err != nil {
			return err
		}
		return distcp.App().Run(ctx, r, []string{"-update", "-delete", x.From, dfs.Qualify(fs, to)})
	})
}

// settings are those of the agent, with copies made in this process. On its own HDFS an MR-cluster has no more replicas than core nodes.
func (k copier) settings(spec *mrcluster.Spec, nameNode string) *conf.Config {
	c := k.conf.Clone()
	for key, value := range map[string]string{"mapreduce.framework.name": "local", "mapreduce.jobtracker.address": "local",
		"mapreduce.cluster.local.dir": filepath.Join(k.dir, "copies")} {
		c.Set(key, value, "agent")
	}
	if nameNode != "" {
		c.Set("fs.defaultFS", nameNode, "agent")
		c.Set(hdfs.KeyDefaultReplication, strconv.Itoa(spec.Replicas()), "agent")
	}
	return c
}

// findSource tells whether the source is one directory.
func findSource(ctx context.Context, set *dfs.Set, name string) (tree bool, err error) {
	fs, path, err := set.Resolve(name)
	if err != nil {
		return false, err
	}
	found, err := dfs.Glob(ctx, fs, path)
	if failure.Is(err, failure.NotFound) || err == nil && len(found) == 0 {
		return false, failure.New(failure.NotFound, "copy", dfs.Qualify(fs, path), daemon.ErrMissing)
	}
	return err == nil && !dfs.IsGlob(path) && found[0].Dir, err
}

// isOwn tells whether a file system is that of the NameNode.
func isOwn(set *dfs.Set, nameNode string, fs dfs.FileSystem) (bool, error) {
	if nameNode == "" {
		return false, nil
	}
	own, _, err := set.Resolve(nameNode + "/")
	return err == nil && own.URI() == fs.URI(), err
}

// clearAway removes what was copied before, unless it is a directory that becomes what the source is: distcp would put anything else into it.
func clearAway(ctx context.Context, fs dfs.FileSystem, name string, tree bool) error {
	there, err := fs.Stat(ctx, name)
	if failure.Is(err, failure.NotFound) || err == nil && there.Dir && tree {
		return nil
	}
	if err != nil {
		return err
	}
	return fs.Delete(ctx, name, true)
}
