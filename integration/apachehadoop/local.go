package apachehadoop

import (
	"context"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// RunLocal runs an example with Hadoop's local runner on local files. At most two maps and two
// reduces run at the same time.
func RunLocal(ctx context.Context, dir, example string, args ...string) ([]byte, error) {
	c, err := local(ctx, dir)
	if err != nil {
		return nil, err
	}
	// Generic options follow the example's name.
	all := append([]string{example, "-D", "mapreduce.framework.name=local", "-fs", "file:///",
		"-D", "hadoop.tmp.dir=" + filepath.Join(dir, "tmp"),
		"-D", "mapreduce.local.map.tasks.maximum=2", "-D", "mapreduce.local.reduce.tasks.maximum=2"}, args...)
	return output(c.java(ctx, c.ConfDir(), 2500, Examples, all...), Examples, all)
}

// RunLocalClass is like RunLocal, but runs any main class that accepts generic options first. It
// leaves the numbers of concurrent maps and reduces at Hadoop's defaults.
func RunLocalClass(ctx context.Context, dir, class string, args ...string) ([]byte, error) {
	c, err := local(ctx, dir)
	if err != nil {
		return nil, err
	}
	all := append([]string{"-D", "mapreduce.framework.name=local", "-fs", "file:///",
		"-D", "hadoop.tmp.dir=" + filepath.Join(dir, "tmp")}, args...)
	return output(c.java(ctx, c.ConfDir(), 2500, class, all...), class, all)
}

// local returns a Cluster without daemons, for the local runner.
func local(ctx context.Context, dir string) (*Cluster, error) {
	lib, err := Jars(ctx)
	if err != nil {
		return nil, err
	}
	c := &Cluster{o: Options{Benchmark: true}, dir: dir, lib: lib}
	if err := os.MkdirAll(c.ConfDir(), 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "make directory", c.ConfDir(), err)
	}
	return c, nil
}
