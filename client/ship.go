package client

import (
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/job/failure"
)

// shipper copies local files to directories below root. A directory's name is the digest of the
// content, so files with the same name and content are copied only once. The shipper never removes
// copies.
type shipper struct {
	fs   dfs.FileSystem
	root string
}

// Shipper returns a function that copies a local file or directory to a directory below root and
// returns the URI of the copy. The copies are for the distributed cache of jobs that run on YARN.
func Shipper(fs dfs.FileSystem, root string) func(ctx context.Context, local string) (string, error) {
	s := &shipper{fs: fs, root: root}
	return s.ship
}

// ship copies a file or a directory tree and returns the URI of the copy.
func (s *shipper) ship(ctx context.Context, local string) (string, error) {
	info, err := os.Stat(local)
	if err != nil {
		return "", failure.New(failure.KindOf(err), "ship", local, err)
	}
	digest, err := staging.Digest(local)
	if err != nil {
		return "", failure.New(failure.KindOf(err), "ship", local, err)
	}
	home := path.Join(s.root, digest)
	to := path.Join(home, filepath.Base(local))
	if info.IsDir() {
		err = s.tree(ctx, local, to)
	} else {
		err = upload(ctx, s.fs, local, to)
	}
	// The code that removes old copies uses this time. If the time cannot be set, a later job might
	// have to copy the file again.
	now := time.Now()
	_ = s.fs.SetMeta(ctx, home, dfs.Meta{ModTime: &now})
	return dfs.Qualify(s.fs, to), err
}

// tree copies a directory. The copy gets its name only when it is complete.
func (s *shipper) tree(ctx context.Context, from, to string) error {
	if there, err := s.fs.Stat(ctx, to); err == nil && there.Dir {
		return nil
	}
	part := to + "." + rand.Text() + ".tmp"
	defer func() { _ = s.fs.Delete(context.WithoutCancel(ctx), part, true) }()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return failure.New(failure.KindOf(err), "ship", name, err)
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return s.fs.Mkdir(ctx, path.Join(part, rel))
		}
		return upload(ctx, s.fs, name, path.Join(part, rel))
	})
	if err != nil {
		return err
	}
	if err := s.fs.Rename(ctx, part, to); !failure.Is(err, failure.Exists) {
		return err
	}
	return nil
}
