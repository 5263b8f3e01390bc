package mrtest

import (
	"context"
	"io"
	"path"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
)

// memory resolves every path on one file system in memory; relative paths are below /.
type memory struct{ fs dfs.FileSystem }

func newMemory() memory { return memory{mem.New()} }

// Resolve implements dfs.Resolver.
func (m memory) Resolve(p string) (dfs.FileSystem, string, error) {
	q, err := dfs.ParsePath(p)
	return m.fs, path.Join("/", q.Path), err
}

// create makes a file of a task's output.
func (m memory) create(name string) (io.WriteCloser, error) {
	return m.fs.Create(context.Background(), path.Join("/", name), dfs.CreateOptions{})
}
