package serve

import (
	"context"
	"io"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/apps/distcp"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/replace"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// copier copies files into and out of an MR-cluster. It runs distcp with maps in this process.
type copier struct {
	conf *conf.Config
	dir  string // working directory of the maps
}

// copy implements master.Config.Copy. It uses distcp -update to skip files that are already
// complete at the target, so that an interrupted copy can continue.
//
// In an MR-cluster's own HDFS, copy may replace any file, because only loads and the MR-cluster's
// jobs write there. In other file systems, it replaces only the result of an earlier run of the
// same copy, and only after the new result is complete.
func (k copier) copy(ctx context.Context, spec *mrcluster.Spec, nameNode string, x mrcluster.Copy) error {
	c := k.settings(spec, nameNode)
	set, err := openCopy(c, spec, nameNode)
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
	own := set.isOwn(fs)
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

// settings returns the agent's settings for copies in this process. If nameNode is not "", the
// MR-cluster's own HDFS is the default file system and has the replication in spec.
func (k copier) settings(spec *mrcluster.Spec, nameNode string) *conf.Config {
	c := k.conf.Clone()
	for key, value := range map[string]string{conf.FrameworkName.Name: "local", conf.JobTrackerAddress.Name: "local",
		conf.ClusterLocalDir.Name: filepath.Join(k.dir, "copies")} {
		c.Set(key, value, "agent")
	}
	if nameNode != "" {
		c.Set(conf.FSDefaultFS.Name, nameNode, "agent")
		c.Set(conf.HDFSDefaultReplication.Name, strconv.Itoa(spec.Replicas()), "agent")
	}
	return c
}

// findSource reports whether the source, name, is a single directory. If the source does not exist,
// the error is of kind NotFound.
func findSource(ctx context.Context, set dfs.Resolver, name string) (tree bool, err error) {
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

// clearAway removes the previous copy, name. If both the copy and the source are directories, it
// keeps the copy, because distcp then updates it. If only the copy is a directory, distcp would
// copy the source into it.
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
