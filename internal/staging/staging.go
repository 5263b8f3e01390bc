// Package staging is the directory in which a client leaves a job's files and from which JobTracker and TaskTrackers read
// them: job.xml, job.split with one record per map, and job.splitmetainfo with what scheduling needs to know of each.
package staging

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The files of a staging directory, by Hadoop's names.
const (
	ConfFile  = "job.xml"
	SplitFile = "job.split"
	MetaFile  = "job.splitmetainfo"
)

// The directories beside those of a user's jobs in which files lie that several jobs use, each below the digest of its content.
const (
	ProgramDir = "programs"
	CacheDir   = "cache"
)

// Keys that a client adds to a job's configuration for whoever runs its tasks.
const (
	KeyProgramID   = "howdah.job.program.id"   // identity of the binary that knows the job
	KeyProgramPath = "howdah.job.program.path" // URI of that binary where it had to be shipped; unset where every node has it
	KeyJobName     = "howdah.job.program.job"  // name of the job inside the binary
)

// maxConf and maxMeta bound what a reader loads into memory.
const (
	maxConf = 32 << 20
	maxMeta = 1 << 30
)

// Write fills an empty or half-written staging directory; files that are there are replaced. It may be repeated.
func Write(ctx context.Context, fs dfs.FileSystem, dir string, c *conf.Config, splits []mapreduce.Split) error {
	if err := fs.Mkdir(ctx, dir); err != nil {
		return err
	}
	records, metas := encodeSplits(splits)
	if err := put(ctx, fs, path.Join(dir, SplitFile), records); err != nil {
		return err
	}
	if err := put(ctx, fs, path.Join(dir, MetaFile), appendMeta(nil, metas)); err != nil {
		return err
	}
	var xml bytes.Buffer
	if err := c.WriteXML(&xml, true); err != nil {
		return err
	}
	return put(ctx, fs, path.Join(dir, ConfFile), xml.Bytes())
}

func put(ctx context.Context, fs dfs.FileSystem, name string, b []byte) error {
	w, err := fs.Create(ctx, name, dfs.CreateOptions{Overwrite: true, Mode: 0o644})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

// ReadConf loads a staged job's configuration.
func ReadConf(ctx context.Context, fs dfs.FileSystem, dir string) (*conf.Config, error) {
	b, err := get(ctx, fs, path.Join(dir, ConfFile), maxConf)
	if err != nil {
		return nil, err
	}
	c := conf.New()
	if err := c.LoadXML(bytes.NewReader(b), ConfFile); err != nil {
		return nil, err
	}
	return c, nil
}

// ReadMeta loads what scheduling needs to know of the splits, in the order of the maps. More than max splits are kind Limit.
func ReadMeta(ctx context.Context, fs dfs.FileSystem, dir string, max int) ([]job.SplitMeta, error) {
	name := path.Join(dir, MetaFile)
	b, err := get(ctx, fs, name, maxMeta)
	if err != nil {
		return nil, err
	}
	metas, err := parseMeta(b, max)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read split information", fs.URI()+name, err)
	}
	return metas, nil
}

// ReadSplit loads one map's split from a job.split file.
func ReadSplit(ctx context.Context, fs dfs.FileSystem, name string, offset int64) (*mapreduce.Split, error) {
	f, err := fs.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if offset < int64(len(splitMagic)) || offset >= f.Size() {
		return nil, failure.New(failure.Corrupt, "read split", fs.URI()+name, fmt.Errorf("offset %d outside the file's %d bytes", offset, f.Size()))
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
		return nil, failure.New(failure.Limit, "read", fs.URI()+name, fmt.Errorf("%d bytes, at most %d are accepted", f.Size(), max))
	}
	b := make([]byte, f.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, failure.New(failure.IO, "read", fs.URI()+name, err)
	}
	return b, nil
}
