package daemon

import (
	"context"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/history/hadoop"
	"github.com/howdah/howdah/job/failure"
)

// DoneHistory says where finished jobs are kept in Hadoop's own formats, for Hadoop's own tools. Names may have a scheme.
type DoneHistory struct {
	Dir          string        // mapreduce.jobhistory.done-dir: .jhist files and configurations by day; "none" or "" = not kept
	Intermediate string        // mapreduce.jobhistory.intermediate-done-dir: instead, for a JobHistoryServer that fetches them there
	Classic      string        // mapreduce.jobtracker.jobhistory.completed.location: lines as Hadoop 1 wrote them; "none" or "" = not kept
	MaxAge       time.Duration // mapreduce.jobhistory.max-age-ms, after which what lies in Dir and Classic is deleted; 0 = never
	CleanEvery   time.Duration // mapreduce.jobhistory.cleaner.interval-ms
}

const (
	keyDone         = "mapreduce.jobhistory.done-dir"
	keyIntermediate = "mapreduce.jobhistory.intermediate-done-dir"
	keyClassic      = "mapreduce.jobtracker.jobhistory.completed.location"
	keyUserHistory  = "mapreduce.job.userhistorylocation"
)

func doneHistory(r *reader) DoneHistory {
	h := DoneHistory{
		Dir:          unlessNone(r.Conf.Get(keyDone)),
		Intermediate: unlessNone(r.Conf.Get(keyIntermediate)),
		Classic:      unlessNone(r.Conf.Get(keyClassic)),
		MaxAge:       time.Duration(r.Int("mapreduce.jobhistory.max-age-ms", 604_800_000, 0, 1<<50)) * time.Millisecond,
		CleanEvery:   time.Duration(r.Int("mapreduce.jobhistory.cleaner.interval-ms", 86_400_000, 1000, 1<<50)) * time.Millisecond,
	}
	if !r.Bool("mapreduce.jobhistory.cleaner.enable", true) {
		h.MaxAge = 0
	}
	return h
}

func unlessNone(dir string) string {
	if dir == "none" {
		return ""
	}
	return dir
}

// doneKeeper writes those files when jobs end. It is called by workers, several at once.
type doneKeeper struct {
	d     *Daemon
	mu    sync.Mutex
	clean time.Time // when old files were last looked for
}

// keep writes the history of a job that is over. What is there already is left alone: a JobTracker that was restarted tells
// its last jobs again. A history that cannot be written costs the history, not the job.
func (k *doneKeeper) keep(ctx context.Context, f finished) {
	cfg := &k.d.cfg.Done
	warn := func(dir string, err error) {
		if err != nil && ctx.Err() == nil {
			k.d.cfg.Log.Warn("a job's history in Hadoop's format is missing", "job", f.id.String(), "dir", dir, "error", err)
		}
	}
	switch {
	case cfg.Intermediate != "":
		warn(cfg.Intermediate, k.write(ctx, f, k.d.cfg.FS, cfg.Intermediate, func(j *hadoop.Job) (string, string) { return j.Spec.User, j.JHistName() }, hadoop.JHist))
	case cfg.Dir != "":
		warn(cfg.Dir, k.write(ctx, f, k.d.cfg.FS, cfg.Dir, func(j *hadoop.Job) (string, string) { return j.Folder(), j.JHistName() }, hadoop.JHist))
	}
	if cfg.Classic != "" {
		tracker := "version-1/" + k.d.cluster + "/"
		warn(cfg.Classic, k.write(ctx, f, k.d.cfg.FS, cfg.Classic, func(j *hadoop.Job) (string, string) { return tracker + j.Folder(), j.ClassicName() }, hadoop.Classic))
	}
	if f.spec != nil {
		if dir, ok := f.spec.Get(keyUserHistory); ok && unlessNone(dir) != "" {
			warn(dir, k.writeForUser(ctx, f, dir))
		}
	}
	k.cleanUp(ctx)
}

// writeForUser puts the history where the job's user wants it, in the user's name.
func (k *doneKeeper) writeForUser(ctx context.Context, f finished, dir string) error {
	files, release, err := k.d.as(f.spec.User, f.info)
	if err != nil {
		return err
	}
	defer release()
	return asUser(f.spec.User, func() error {
		return k.write(ctx, f, files, dir, func(j *hadoop.Job) (string, string) { return "_logs/history", j.ClassicName() }, hadoop.Classic)
	})
}

// telling writes facts in one of the formats.
type telling func(w io.Writer, facts io.Reader, confPath string) (*hadoop.Job, error)

// write makes the two files of a job below dir; place gives the folder and the name of the history's.
func (k *doneKeeper) write(ctx context.Context, f finished, files dfs.Resolver, dir string, place func(*hadoop.Job) (folder, name string), tell telling) error {
	fs, root, err := files.Resolve(dir)
	if err != nil {
		return err
	}
	// The name holds what only the end tells, so the facts are read twice.
	j, err := k.tell(ctx, f, io.Discard, "", tell)
	if err != nil || j == nil {
		return err
	}
	folder, name := place(j)
	folder = path.Join(root, folder)
	confFile, historyFile := path.Join(folder, j.ConfName()), path.Join(folder, name)
	if err := fs.Mkdir(ctx, folder); err != nil {
		return err
	}
	if err := k.file(ctx, fs, confFile, func(w io.Writer) error {
		in, err := os.Open(k.d.history.confFile(f.id))
		if err != nil {
			return failure.New(failure.KindOf(err), "read the configuration of", f.id.String(), err)
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	}); err != nil {
		return err
	}
	return k.file(ctx, fs, historyFile, func(w io.Writer) error {
		_, err := k.tell(ctx, f, w, dfs.Qualify(fs, confFile), tell)
		return err
	})
}

// tell reads the job's facts and writes them; nil = there are none any more.
func (k *doneKeeper) tell(ctx context.Context, f finished, w io.Writer, confPath string, tell telling) (*hadoop.Job, error) {
	facts, err := k.d.history.facts(ctx, k.d.owner, f.id)
	if err != nil || facts == nil {
		return nil, err
	}
	defer facts.Close()
	return tell(w, facts, confPath)
}

// file writes a file under another name first, so that readers never see half of it.
func (k *doneKeeper) file(ctx context.Context, fs dfs.FileSystem, name string, fill func(io.Writer) error) error {
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

// cleanUp deletes what is older than the limit, now and then.
func (k *doneKeeper) cleanUp(ctx context.Context) {
	cfg := &k.d.cfg.Done
	now := time.Now()
	k.mu.Lock()
	due := cfg.MaxAge > 0 && now.Sub(k.clean) >= cfg.CleanEvery
	if due {
		k.clean = now
	}
	k.mu.Unlock()
	if !due {
		return
	}
	for _, dir := range []string{cfg.Dir, path.Join(cfg.Classic, "version-1", k.d.cluster)} {
		if dir == "" || cfg.Classic == "" && dir != cfg.Dir {
			continue
		}
		fs, root, err := k.d.cfg.FS.Resolve(dir)
		if err == nil {
			err = cleanDays(ctx, fs, root, now.Add(-cfg.MaxAge))
		}
		if err != nil && ctx.Err() == nil && !failure.Is(err, failure.NotFound) {
			k.d.cfg.Log.Warn("old history files stay behind", "dir", dir, "error", err)
		}
	}
}

// Names of what may be deleted: a year, month, day or serial number, and a job's file.
var (
	numbers  = regexp.MustCompile(`^[0-9]{2,6}$`)
	jobFiles = regexp.MustCompile(`^_?job_[0-9A-Za-z]+_[0-9]+[-_].+$`)
)

// cleanDays deletes the jobs' files in the folders root/YYYY/MM/DD/SERIAL of days before a time, and the folders that are
// empty then. Nothing else is touched.
func cleanDays(ctx context.Context, fs dfs.FileSystem, root string, before time.Time) error {
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
				if !f.Dir && jobFiles.MatchString(f.Name()) {
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

// eachFolder calls f with the folders depth levels below dir whose names are numbers all the way.
func eachFolder(ctx context.Context, fs dfs.FileSystem, dir string, depth int, f func(string) error) error {
	if depth == 0 {
		return f(dir)
	}
	list, err := fs.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Dir && !e.Link && numbers.MatchString(e.Name()) {
			if err := eachFolder(ctx, fs, e.Path, depth-1, f); err != nil {
				return err
			}
		}
	}
	return nil
}
