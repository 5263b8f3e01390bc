// Package distcp is Hadoop's distcp, which copies files and trees, within or between file systems,
// as a job without reduces. It writes each copy to a temporary file, compares it with the source
// (unless -skipcrccheck is set), and renames it to the target.
package distcp

import (
	"context"
	"crypto/rand"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const keyServers = "mapreduce.job.hdfs-servers"

// App returns the distcp application. It does not need a JobTracker. Without one, the maps run in
// this process.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "distcp",
		Input:  input{},
		Mapper: mapreduce.MapOf(func() *copier { return &copier{} }),
		Conf:   map[string]string{conf.JobReduces.Name: "0", "mapreduce.map.speculative": "false"},
	}
	return &mapreduce.App{
		Name:  "distcp",
		Short: "copies files and directories with many maps, like Hadoop's distcp",
		Usage: usage,
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	o, err := parseArgs(args)
	if err != nil {
		return failure.New(failure.Usage, "distcp", "", err).Fix("usage: distcp " + usage)
	}
	if _, err := bandwidth(r.Conf()); err != nil {
		return err
	}
	l := &lister{ctx: ctx, o: o, taken: map[string]string{}}
	if err := l.find(r.FS()); err != nil {
		return err
	}
	work := place{l.target.fs, path.Join(path.Dir(l.target.path), "._distcp_"+rand.Text()[:12])}
	defer work.fs.Delete(context.WithoutCancel(ctx), work.path, true)
	if err := l.copyFiles(r, j, work); err != nil {
		return err
	}
	if o.delete {
		if err := l.deleteMissing(l.target.path); err != nil {
			return err
		}
	}
	return l.finishDirs()
}

// find lists the files and directories to copy and checks the target.
func (l *lister) find(r dfs.Resolver) error {
	var err error
	if l.target.fs, l.target.path, err = r.Resolve(l.o.target); err != nil {
		return err
	}
	there, err := l.target.fs.Stat(l.ctx, l.target.path)
	switch {
	case err == nil:
		l.exists = there.Dir
	case !failure.Is(err, failure.NotFound):
		return err
	}
	sources, err := l.sources(r)
	if err != nil {
		return err
	}
	if err == nil && !l.exists && there.Path != "" && len(sources) > 1 {
		return failure.New(failure.Usage, "copy to", l.target.String(),
			errors.New("the target of several sources must be a directory, but it is a file"))
	}
	for _, s := range append(sources, l.target) {
		if root := dfs.Qualify(s.fs, "/"); !slices.Contains(l.servers, root) {
			l.servers = append(l.servers, root)
		}
	}
	for _, s := range sources {
		if err := l.source(s, len(sources) > 1); err != nil {
			return err
		}
	}
	return nil
}

// sources resolves the sources, which can be patterns.
func (l *lister) sources(r dfs.Resolver) (out []place, err error) {
	for _, s := range l.o.sources {
		fs, p, err := r.Resolve(s)
		if err != nil {
			return nil, err
		}
		found := []dfs.Info{{Path: p}}
		if dfs.IsGlob(p) {
			if found, err = dfs.Glob(l.ctx, fs, p); err != nil {
				return nil, err
			}
			if len(found) == 0 {
				return nil, failure.New(failure.NotFound, "copy", s, errors.New("nothing matches"))
			}
		}
		for _, f := range found {
			out = append(out, place{fs, f.Path})
		}
	}
	return out, nil
}

// copyFiles creates the target's directories and runs the job that copies the files. It runs no job
// if there are no files.
func (l *lister) copyFiles(r mapreduce.Runner, j *mapreduce.Job, work place) error {
	if err := l.target.fs.Mkdir(l.ctx, work.path); err != nil {
		return err
	}
	if err := l.makeDirs(); err != nil {
		return err
	}
	listing := work.child("listing")
	if err := l.write(listing); err != nil {
		return err
	}
	total, files := int64(0), 0
	for _, e := range l.entries {
		if !e.Dir {
			total, files = total+e.Size, files+1
		}
	}
	if files == 0 {
		return nil
	}
	c := r.Conf().Clone()
	l.o.settings(c)
	// The paths are in the listing, not in the configuration. This setting therefore names their
	// file systems for the code that fetches the tasks' tokens.
	c.Set(keyServers, strings.Join(append(conf.JobHDFSServers.Get(c), l.servers...), ","), "distcp")
	for key, v := range map[string]string{keyListing: listing.String(), keyBytes: strconv.FormatInt(total, 10),
		keyMaps:   strconv.Itoa(min(l.o.maps, files)),
		keyTarget: l.target.String(), keyWork: work.child("files").String()} {
		c.Set(key, v, "distcp")
	}
	log := l.o.log
	if log == "" {
		log = work.child("log").String()
	} else if err := dir.Refuse(l.ctx, r.FS(), log); err != nil {
		return err
	}
	mapreduce.SetOutputPath(c, log)
	_, err := r.Run(l.ctx, j, c)
	return err
}
