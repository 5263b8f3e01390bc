package mrtest

import (
	"context"
	"io"
	"path"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
)

// memory resolves every path to the same in-memory file system. Relative paths start at /.
type memory struct{ fs dfs.FileSystem }

func newMemory() memory { return memory{mem.New()} }

// Resolve implements dfs.Resolver.
func (m memory) Resolve(p string) (dfs.FileSystem, string, error) {
	q, err := dfs.ParsePath(p)
	return m.fs, path.Join("/", q.Path), err
}

// create creates an output file of a task.
func (m memory) create(name string) (io.WriteCloser, error) {
	return m.fs.Create(context.Background(), path.Join("/", name), dfs.CreateOptions{})
}
