package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// coreFor derives the minimum share from "the amount of data the cluster has to process" (FAW
// section 4.2.1). It returns one core node per howdah.mrcluster.core.bytes bytes to load, rounded
// up, and at least one. It returns 0 if that key is not set or load is empty.
func (s *session) coreFor(ctx context.Context, cfg *conf.Config, load []mrcluster.Copy) (int, error) {
	each, err := conf.MRClusterCoreBytes.Get(cfg)
	if err != nil || each == 0 || len(load) == 0 {
		return 0, err
	}
	set, err := schemes.Resolver(cfg, schemes.Warn(s.err))
	if err != nil {
		return 0, err
	}
	defer set.Close()
	total := int64(0)
	for _, c := range load {
		n, err := sizeOf(ctx, set, c.From)
		if err != nil {
			return 0, err
		}
		total += n
	}
	core := max(1, (total+each-1)/each)
	fmt.Fprintf(s.err, "%d bytes to load: %s\n", total, plural.Of(core, "core node"))
	return int(min(core, 1<<30)), nil
}

// sizeOf returns the total size of all files at or below the matches of a path or pattern, in bytes.
func sizeOf(ctx context.Context, set *dfs.Set, name string) (int64, error) {
	fs, path, err := set.Resolve(name)
	if err != nil {
		return 0, err
	}
	found, err := dfs.Glob(ctx, fs, path)
	if err == nil && len(found) == 0 {
		err = failure.New(failure.NotFound, "measure the input to load", name, errors.New("no such file"))
	}
	total := int64(0)
	for len(found) > 0 && err == nil {
		i := found[len(found)-1]
		found = found[:len(found)-1]
		switch {
		case !i.Dir:
			total += i.Size
		case !i.Link:
			var below []dfs.Info
			below, err = fs.List(ctx, i.Path)
			found = append(found, below...)
		}
	}
	return total, err
}
