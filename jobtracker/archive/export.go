package archive

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// ExportConfig configures the files that an Exporter writes about finished jobs for Hadoop's own
// tools. Directories can be URIs.
type ExportConfig struct {
	// Dir is the directory of .jhist files and configurations, ordered by day
	// (mapreduce.jobhistory.done-dir). "" disables them.
	Dir string
	// Intermediate replaces Dir if a JobHistoryServer collects the files
	// (mapreduce.jobhistory.intermediate-done-dir).
	Intermediate string
	// Classic is the directory of files in Hadoop 1's format
	// (mapreduce.jobtracker.jobhistory.completed.location). "" disables them.
	Classic string
	// MaxAge is the age at which files in Dir and Classic are deleted
	// (mapreduce.jobhistory.max-age-ms). 0 means never.
	MaxAge     time.Duration
	CleanEvery time.Duration // mapreduce.jobhistory.cleaner.interval-ms
}

// ExportFromConf reads the configuration of the export. It converts the value "none" of a directory
// to "".
func ExportFromConf(r *conf.Reader) ExportConfig {
	h := ExportConfig{
		Dir:          unlessNone(conf.JobHistoryDoneDir.Get(r.Conf)),
		Intermediate: unlessNone(conf.JobHistoryIntermediateDoneDir.Get(r.Conf)),
		Classic:      unlessNone(conf.JobTrackerJobHistoryCompletedLocation.Get(r.Conf)),
		MaxAge:       millis(conf.JobHistoryMaxAgeMS.From(r)),
		CleanEvery:   millis(conf.JobHistoryCleanerIntervalMS.From(r)),
	}
	if !conf.JobHistoryCleanerEnable.From(r) {
		h.MaxAge = 0
	}
	return h
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func unlessNone(dir string) string {
	if dir == "none" {
		return ""
	}
	return dir
}

// An Exporter writes finished jobs in Hadoop's own formats. It is safe for concurrent use.
type Exporter struct {
	ExportConfig
	archive *Archive
	fs      dfs.Resolver
	mu      sync.Mutex
	cleaned time.Time // time of the latest search for old files
}

// Exporter returns an Exporter that writes to the file systems of fs.
func (a *Archive) Exporter(cfg ExportConfig, fs dfs.Resolver) *Exporter {
	return &Exporter{ExportConfig: cfg, archive: a, fs: fs}
}

// InUsersName calls f with the file systems of a job's user and with that user's permissions.
type InUsersName func(f func(dfs.Resolver) error) error

// Export writes the history of a finished job, and deletes old files when that is due. It keeps
// existing files, because a restarted JobTracker exports its latest jobs again. If spec is nil,
// Export writes no copy to the user's own history location. Export logs errors, because they do not
// affect the job. done is false if a later call might write more files, because storage was full or
// did not respond.
func (x *Exporter) Export(ctx context.Context, id job.ID, spec *job.Spec, as InUsersName) (done bool) {
	done = true
	warn := func(dir string, err error) {
		if err != nil && ctx.Err() == nil {
			x.archive.log.Warn("cannot export a job's history in Hadoop's format", "job", id.String(), "dir", dir, "error", err)
		}
		switch failure.KindOf(err) {
		case failure.DiskFull, failure.IO, failure.Unreachable, failure.Timeout:
			done = false
		}
	}
	switch {
	case x.Intermediate != "":
		inUsersFolder := func(j *hadoop.Job) (string, string) { return j.Spec.User, j.JHistName() }
		warn(x.Intermediate, x.write(ctx, id, x.fs, x.Intermediate, inUsersFolder, hadoop.JHist))
	case x.Dir != "":
		byDay := func(j *hadoop.Job) (string, string) { return j.Folder(), j.JHistName() }
		warn(x.Dir, x.write(ctx, id, x.fs, x.Dir, byDay, hadoop.JHist))
	}
	if x.Classic != "" {
		tracker := "version-1/" + id.Cluster + "/"
		byDay := func(j *hadoop.Job) (string, string) { return tracker + j.Folder(), j.ClassicName() }
		warn(x.Classic, x.write(ctx, id, x.fs, x.Classic, byDay, hadoop.Classic))
	}
	if spec != nil {
		if dir, ok := spec.Get(conf.JobUserHistoryLocation.Name); ok && unlessNone(dir) != "" {
			below := func(j *hadoop.Job) (string, string) { return "_logs/history", j.ClassicName() }
			warn(dir, as(func(files dfs.Resolver) error {
				return x.write(ctx, id, files, dir, below, hadoop.Classic)
			}))
		}
	}
	x.cleanUp(ctx, id.Cluster)
	return done
}

// A telling is a function that writes the history of one job in one of Hadoop's formats.
type telling func(w io.Writer, facts io.Reader, confPath string) (*hadoop.Job, error)

// write writes the two files of a job below dir. place returns the folder and the name of the
// history file.
func (x *Exporter) write(ctx context.Context, id job.ID, files dfs.Resolver, dir string,
	place func(*hadoop.Job) (folder, name string), tell telling) error {
	fs, root, err := files.Resolve(dir)
	if err != nil {
		return err
	}
	_, err = writeFiles(ctx, source{
		facts: func() (io.ReadCloser, error) { return x.archive.Facts(ctx, id) },
		conf: func(_ *hadoop.Job, w io.Writer) error {
			in, err := os.Open(x.archive.ConfFile(id))
			if err != nil {
				return failure.New(failure.KindOf(err), "read the configuration of", id.String(), err)
			}
			defer in.Close()
			_, err = io.Copy(w, in)
			return err
		},
	}, fs, root, place, tell)
	return err
}

// WriteJHist writes a finished job's .jhist file and configuration to a directory. It keeps
// existing files. It returns the name of the .jhist file. facts are the job's facts in the form of
// a journal. The configuration has the settings in the job's specification.
func WriteJHist(ctx context.Context, facts []byte, fs dfs.FileSystem, dir string) (string, error) {
	return writeFiles(ctx, source{
		facts: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(facts)), nil },
		conf: func(j *hadoop.Job, w io.Writer) error {
			c := conf.New()
			for _, p := range j.Spec.Conf {
				c.Set(p.Name, p.Value, "job.xml")
			}
			return c.WriteXML(w, true)
		},
	}, fs, dir, func(j *hadoop.Job) (string, string) { return "", j.JHistName() }, hadoop.JHist)
}

// source provides the data of a finished job.
type source struct {
	facts func() (io.ReadCloser, error) // returns nil and no error if the facts no longer exist
	conf  func(*hadoop.Job, io.Writer) error
}

// tell writes the job's facts with the given telling. If the facts no longer exist, it returns nil
// and no error.
func (s *source) tell(w io.Writer, confPath string, tell telling) (*hadoop.Job, error) {
	facts, err := s.facts()
	if err != nil || facts == nil {
		return nil, err
	}
	defer facts.Close()
	return tell(w, facts, confPath)
}

// writeFiles writes the two files of a job below root and returns the name of the history file. It
// returns "" if the job's facts no longer exist.
func writeFiles(ctx context.Context, s source, fs dfs.FileSystem, root string,
	place func(*hadoop.Job) (folder, name string), tell telling) (string, error) {
	// The facts are read twice, because parts of the name are known only after the last fact.
	j, err := s.tell(io.Discard, "", tell)
	if err != nil || j == nil {
		return "", err
	}
	folder, name := place(j)
	folder = path.Join(root, folder)
	confFile, historyFile := path.Join(folder, j.ConfName()), path.Join(folder, name)
	if err := fs.Mkdir(ctx, folder); err != nil {
		return "", err
	}
	if err := writeFile(ctx, fs, confFile, func(w io.Writer) error { return s.conf(j, w) }); err != nil {
		return "", err
	}
	return historyFile, writeFile(ctx, fs, historyFile, func(w io.Writer) error {
		_, err := s.tell(w, dfs.Qualify(fs, confFile), tell)
		return err
	})
}

// writeFile writes a file unless it exists. It uses a temporary name until the end, so that readers
// never see an incomplete file.
func writeFile(ctx context.Context, fs dfs.FileSystem, name string, fill func(io.Writer) error) error {
	if _, err := fs.Stat(ctx, name); !failure.Is(err, failure.NotFound) {
		return err
	}
	part := path.Join(path.Dir(name), "_"+path.Base(name)+partial)
	w, err := fs.Create(ctx, part, dfs.CreateOptions{Overwrite: true, Mode: 0o640})
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return fs.Rename(ctx, part, name)
}

// cleanUp deletes files older than MaxAge, at most once per CleanEvery.
func (x *Exporter) cleanUp(ctx context.Context, cluster string) {
	now := time.Now()
	x.mu.Lock()
	due := x.MaxAge > 0 && now.Sub(x.cleaned) >= x.CleanEvery
	if due {
		x.cleaned = now
	}
	x.mu.Unlock()
	if !due {
		return
	}
	for _, dir := range []string{x.Dir, path.Join(x.Classic, "version-1", cluster)} {
		if dir == "" || x.Classic == "" && dir != x.Dir {
			continue
		}
		fs, root, err := x.fs.Resolve(dir)
		if err == nil {
			err = CleanDays(ctx, fs, root, now.Add(-x.MaxAge))
		}
		if err != nil && ctx.Err() == nil && !failure.Is(err, failure.NotFound) {
			x.archive.log.Warn("cannot delete old history files", "dir", dir, "error", err)
		}
	}
}

// Patterns of the names that CleanDays may delete: folders named by year, month, day, or serial
// number, and a job's files. They are compiled on first use.
var (
	numbers  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{2,6}$`) })
	jobFiles = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^_?job_[0-9A-Za-z]+_[0-9]+[-_].+$`)
	})
)

// CleanDays deletes job files in folders root/YYYY/MM/DD/SERIAL whose day ended before the given
// time. It then deletes the DD and SERIAL folders that have become empty. It deletes nothing else.
func CleanDays(ctx context.Context, fs dfs.FileSystem, root string, before time.Time) error {
	return eachFolder(ctx, fs, root, 3, func(day string) error {
		parts := strings.Split(day, "/")
		date := [3]int{}
		for i, p := range parts[len(parts)-3:] {
			date[i], _ = strconv.Atoi(p)
		}
		if !time.Date(date[0], time.Month(date[1]), date[2]+1, 0, 0, 0, 0, time.Local).Before(before) {
			return nil
		}
		err := eachFolder(ctx, fs, day, 1, func(serial string) error {
			files, err := fs.List(ctx, serial)
			if err != nil {
				return err
			}
			for _, f := range files {
				if !f.Dir && jobFiles().MatchString(f.Name()) {
					if err := fs.Delete(ctx, f.Path, false); err != nil {
						return err
					}
				}
			}
			return removeIfEmpty(ctx, fs, serial)
		})
		if err != nil {
			return err
		}
		return removeIfEmpty(ctx, fs, day)
	})
}

func removeIfEmpty(ctx context.Context, fs dfs.FileSystem, dir string) error {
	left, err := fs.List(ctx, dir)
	if err != nil || len(left) > 0 {
		return err
	}
	return fs.Delete(ctx, dir, false)
}

// eachFolder calls f with each folder that is depth levels below dir and has only numbers in its
// relative path.
func eachFolder(ctx context.Context, fs dfs.FileSystem, dir string, depth int, f func(string) error) error {
	if depth == 0 {
		return f(dir)
	}
	list, err := fs.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Dir && !e.Link && numbers().MatchString(e.Name()) {
			if err := eachFolder(ctx, fs, e.Path, depth-1, f); err != nil {
				return err
			}
		}
	}
	return nil
}
