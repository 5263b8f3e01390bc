package hdfs

import (
	"context"
	"path"
	"time"

	"github.com/howdah/howdah/internal/pb"
)

// CreateSnapshot implements dfs.Snapshotter.
func (f *FS) CreateSnapshot(ctx context.Context, dir, name string) (string, error) {
	if name == "" {
		name = "s" + time.Now().Format("20060102-150405.000")
	}
	m, err := f.call(ctx, "create a snapshot of", dir, "createSnapshot",
		pb.Message(nil).String(1, path.Clean(dir)).String(2, name))
	return string(m), err
}

// RenameSnapshot implements dfs.Snapshotter.
func (f *FS) RenameSnapshot(ctx context.Context, dir, from, to string) error {
	_, err := f.call(ctx, "rename a snapshot of", dir, "renameSnapshot",
		pb.Message(nil).String(1, path.Clean(dir)).String(2, from).String(3, to))
	return err
}

// DeleteSnapshot implements dfs.Snapshotter.
func (f *FS) DeleteSnapshot(ctx context.Context, dir, name string) error {
	_, err := f.call(ctx, "delete a snapshot of", dir, "deleteSnapshot",
		pb.Message(nil).String(1, path.Clean(dir)).String(2, name))
	return err
}
