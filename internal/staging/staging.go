// Package staging reads and writes staging directories, in which clients put a job's files for the
// JobTracker and the TaskTrackers. A staging directory contains job.xml, job.split with one record
// per map, and job.splitmetainfo with the part of each split that scheduling needs.
package staging

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// These are the names of the files in a staging directory, as in Hadoop.
const (
	ConfFile  = "job.xml"
	SplitFile = "job.split"
	MetaFile  = "job.splitmetainfo"
)

// These directories contain files that several jobs share. They are next to the directories of a
// user's jobs. The path of each file contains the digest of its content.
const (
	ProgramDir = "programs"
	CacheDir   = "cache"
)

// MetaLimit limits how much of a job.splitmetainfo file is loaded into memory.
type MetaLimit struct {
	Splits int
	Bytes  int64 // of the file; 0 means 16 MiB
	Memory int64 // for the splits, approximately; 0 means no limit
}

// Write writes the files of a staging directory and replaces existing files. Only their owner can read
// them, because a job's configuration may contain secrets. The caller can repeat Write after an error.
func Write(ctx context.Context, fs dfs.FileSystem, dir string, c *conf.Config, splits []mapreduce.Split) error {
	if err := fs.Mkdir(ctx, dir); err != nil {
		return err
	}
	private := uint32(0o700)
	if err := fs.SetMeta(ctx, dir, dfs.Meta{Mode: &private}); err != nil {
		return err
	}
	var xml bytes.Buffer
	if err := c.WriteJob(&xml); err != nil {
		return err
	}
	records, metas := encodeSplits(splits)
	var group errgroup.Group
	group.Go(func() error { return put(ctx, fs, path.Join(dir, SplitFile), records) })
	group.Go(func() error { return put(ctx, fs, path.Join(dir, MetaFile), appendMeta(nil, metas)) })
	group.Go(func() error { return put(ctx, fs, path.Join(dir, ConfFile), xml.Bytes()) })
	return group.Wait()
}

// Persist makes the files in a staging directory durable. After a power failure, the JobTracker
// still has the jobs that it has admitted, and these need their files.
func Persist(ctx context.Context, fs dfs.FileSystem, dir string) error {
	return dfs.Persist(ctx, fs, dir, path.Join(dir, SplitFile), path.Join(dir, MetaFile), path.Join(dir, ConfFile))
}

func put(ctx context.Context, fs dfs.FileSystem, name string, b []byte) error {
	w, err := fs.Create(ctx, name, dfs.CreateOptions{Overwrite: true, Mode: 0o600})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

// ReadConf loads a staged job's configuration from the file that ReadXML reads, and also returns
// the text of the file.
func ReadConf(ctx context.Context, fs dfs.FileSystem, dir string, max int64) (*conf.Config, []byte, error) {
	xml, err := ReadXML(ctx, fs, dir, max)
	if err != nil {
		return nil, nil, err
	}
	c := conf.New()
	c.Restrict()
	if err := c.LoadXML(bytes.NewReader(xml), ConfFile); err != nil {
		return nil, nil, err
	}
	return c, xml, nil
}

// ReadXML reads the file with a staged job's configuration. If it has more than max bytes, the error
// is of kind Limit.
func ReadXML(ctx context.Context, fs dfs.FileSystem, dir string, max int64) ([]byte, error) {
	return get(ctx, fs, path.Join(dir, ConfFile), max)
}

// ReadMeta loads the scheduling part of each split in the order of the maps. It also returns the
// approximate size of the splits in the JobTracker's memory, in bytes. If the file exceeds a limit,
// the error is of kind Limit. If the limit is Memory, the error wraps ErrMemory.
func ReadMeta(ctx context.Context, fs dfs.FileSystem, dir string, limit MetaLimit) ([]job.SplitMeta, int64, error) {
	name := path.Join(dir, MetaFile)
	b, err := get(ctx, fs, name, cmp.Or(limit.Bytes, conf.JobSplitMetaInfoMaxSize.BuiltIn()))
	if failure.Is(err, failure.Limit) {
		return nil, 0, failure.New(failure.Limit, "read split information", fs.URI()+name, err).
			Fix("make the splits larger (mapreduce.input.fileinputformat.split.minsize), or raise " +
				conf.JobSplitMetaInfoMaxSize.Name + " of the JobTracker")
	}
	if err != nil {
		return nil, 0, err
	}
	metas, memory, err := parseMeta(b, limit.Splits, limit.Memory)
	if err != nil {
		return nil, 0, failure.New(failure.KindOf(err), "read split information", fs.URI()+name, err)
	}
	return metas, memory, nil
}

// ReadSplit loads one map's split from a job.split file. offset is the Offset in the split's
// SplitMeta. For a damaged record the error is of kind Corrupt.
func ReadSplit(ctx context.Context, fs dfs.FileSystem, name string, offset int64) (*mapreduce.Split, error) {
	f, err := fs.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if offset < int64(len(splitMagic)) || offset >= f.Size() {
		return nil, failure.New(failure.Corrupt, "read split", fs.URI()+name,
			fmt.Errorf("offset %d is outside the file's %d bytes", offset, f.Size()))
	}
	s, err := readRecord(bufio.NewReader(io.NewSectionReader(f, offset, f.Size()-offset)))
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read split", fs.URI()+name, err)
	}
	return s, nil
}

func get(ctx context.Context, fs dfs.FileSystem, name string, max int64) ([]byte, error) {
	f, err := fs.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > max {
		return nil, failure.New(failure.Limit, "read", fs.URI()+name,
			fmt.Errorf("the file has %d bytes; the limit is %d", f.Size(), max))
	}
	b := make([]byte, f.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, failure.New(failure.IO, "read", fs.URI()+name, err)
	}
	return b, nil
}
