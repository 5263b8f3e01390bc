package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// skipFile writes skipped records to a SequenceFile named after the attempt. Its directory is
// mapreduce.job.skip.outdir, by default _logs/skip in the job's output. It creates the file when it
// writes the first record. A file in the job's output directory is published along with the other
// output files.
type skipFile struct {
	a          *attempt
	key, value mapreduce.Type
	w          *sequencefile.Writer
	file       io.WriteCloser
}

func (a *attempt) newSkipFile(key, value mapreduce.Type) *skipFile {
	if a.spec.Skips.Test || conf.JobSkipOutDir.Get(a.conf) == "none" || key == nil || value == nil ||
		conf.JobSkipOutDir.Get(a.conf) == "" && a.spec.OutputDir == "" {
		return nil
	}
	return &skipFile{a: a, key: key, value: value}
}

func (f *skipFile) write(key, value []byte) error {
	if f == nil {
		return nil
	}
	if f.w == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	return f.w.Append(key, value)
}

func (f *skipFile) open() (err error) {
	if f.file, err = f.a.createSkipFile(); err != nil {
		return err
	}
	f.w, err = sequencefile.NewWriter(f.file, sequencefile.Options{KeyClass: f.key.Class(), ValueClass: f.value.Class(),
		Compression: sequencefile.Block})
	return err
}

func (a *attempt) createSkipFile() (io.WriteCloser, error) {
	name := a.spec.Attempt.String()
	dir := conf.JobSkipOutDir.Get(a.conf)
	if dir == "" {
		return a.out.create("_logs/skip/" + name)
	}
	fs, dir, err := a.env.FS.Resolve(dir)
	if err != nil {
		return nil, err
	}
	name = path.Join(dir, name)
	w, err := fs.Create(a.ctx, name, dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "keep skipped records", name, err).Fix("check " +
			conf.JobSkipOutDir.Name)
	}
	a.undo = append(a.undo, func() {
		w.Abort()
		_ = fs.Delete(context.WithoutCancel(a.ctx), name, false) // the skip file of a failed attempt is useless
	})
	return w, nil
}

func (f *skipFile) close() error {
	if f == nil || f.w == nil {
		return nil
	}
	if err := errors.Join(f.w.Close(), f.file.Close()); err != nil {
		return fmt.Errorf("keep skipped records: %w", err)
	}
	return nil
}
