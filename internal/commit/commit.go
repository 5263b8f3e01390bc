// Package commit publishes a job's output from a manifest. Attempts write only below OUT/_temporary/0/ATTEMPT; what the
// journal names as winners, and nothing else, is moved to OUT, and _SUCCESS is written last. Every step can be repeated after
// a crash at any point.
package commit

import (
	"context"
	"path"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// The names below an output directory, as Hadoop spells them.
const (
	Temporary = "_temporary"
	Success   = "_SUCCESS"
)

// Winner is a successful attempt and what it wrote.
type Winner struct {
	Attempt string // attempt_…
	Files   []job.OutputFile
}

// AttemptDir gives the directory below which an attempt writes.
func AttemptDir(out, attempt string) string { return path.Join(out, Temporary, "0", attempt) }

// Prepare makes OUT/_temporary/0. An output directory that exists already is kind Exists, and nothing was made.
func Prepare(ctx context.Context, fs dfs.FileSystem, out string) error {
	switch _, err := fs.Stat(ctx, out); {
	case err == nil:
		return failure.New(failure.Exists, "prepare output", fs.URI()+out, nil).Fix("choose another output directory or remove this one")
	case !failure.Is(err, failure.NotFound):
		return err
	}
	return fs.Mkdir(ctx, path.Join(out, Temporary, "0"))
}

// Claim is Prepare for a JobTracker that may be killed anywhere in it: the same owner may claim the directory again, everybody
// else gets kind Exists. A claim that storage refuses, rather than fails to answer, is taken back. owner is a file name, such as a job's id; it must not begin with a dot. Two owners must not claim one
// directory at the same time.
func Claim(ctx context.Context, fs dfs.FileSystem, out, owner string) error {
	temporary := path.Join(out, Temporary)
	free, err := claimable(ctx, fs, out, owner)
	if err != nil {
		return err
	}
	if !free {
		return Prepare(ctx, fs, out)
	}
	if err = mark(ctx, fs, temporary, owner); err != nil && !failure.Is(err, failure.Unreachable) && !failure.Is(err, failure.Timeout) {
		// It is refused for good, by a quota, say: nobody comes back to it, and it must not be in the way of the next.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawLimit)
		defer cancel()
		_ = Abort(ctx, fs, out, nil)
	}
	return err
}

// withdrawLimit is how long taking a claim back may take.
const withdrawLimit = 20 * time.Second

// mark makes what shows that the directory is the owner's.
func mark(ctx context.Context, fs dfs.FileSystem, temporary, owner string) error {
	// Made by themselves: HDFS gives the missing parents of a file the permissions of the directory above, which in /tmp are everybody's.
	if err := fs.Mkdir(ctx, temporary); err != nil {
		return err
	}
	w, err := fs.Create(ctx, path.Join(temporary, owner), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return fs.Mkdir(ctx, path.Join(temporary, "0"))
}

// Unclaim removes what a claim made, wherever a crash cut it off, if the directory is still the owner's.
func Unclaim(ctx context.Context, fs dfs.FileSystem, out, owner string) error {
	switch _, err := fs.Stat(ctx, path.Join(out, Temporary, owner)); {
	case failure.Is(err, failure.NotFound):
		if free, err := claimable(ctx, fs, out, owner); err != nil || !free {
			return err
		}
	case err != nil:
		return err
	}
	return Abort(ctx, fs, out, nil)
}

// claimable tells whether the directory does not exist, is the owner's already, or is what a crash left of a claim that never
// came to its owner's mark: nothing but an empty OUT/_temporary.
func claimable(ctx context.Context, fs dfs.FileSystem, out, owner string) (bool, error) {
	entries, err := fs.List(ctx, out)
	if failure.Is(err, failure.NotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if len(entries) != 1 || entries[0].Name() != Temporary || !entries[0].Dir {
		return false, nil
	}
	marks, err := fs.List(ctx, path.Join(out, Temporary))
	if err != nil {
		return false, err
	}
	free := true
	for _, m := range marks {
		switch name := m.Name(); {
		case name == owner:
			return true, nil
		case name[0] != '.': // those are files that storage had not finished
			free = false
		}
	}
	return free, nil
}

// Publish moves the winners' files to OUT, removes OUT/_temporary and, if mark is set, writes _SUCCESS last. It may be
// called again after it was cut off anywhere. An error of kind Corrupt means that a file is neither in the attempt's
// directory nor in OUT with the length that the manifest says.
func Publish(ctx context.Context, fs dfs.FileSystem, out string, winners []Winner, mark bool) error {
	made := map[string]bool{out: true} // directories that are there for certain
	for _, w := range winners {
		from := AttemptDir(out, w.Attempt)
		for _, f := range w.Files {
			to := path.Join(out, f.Name)
			if dir := path.Dir(to); !made[dir] {
				if err := fs.Mkdir(ctx, dir); err != nil {
					return err
				}
				made[dir] = true
			}
			if err := move(ctx, fs, path.Join(from, f.Name), to, f.Length); err != nil {
				return err
			}
		}
	}
	if err := fs.Delete(ctx, path.Join(out, Temporary), true); err != nil {
		return err
	}
	if !mark {
		return nil
	}
	w, err := fs.Create(ctx, path.Join(out, Success), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	return w.Close()
}

// move renames one file, or finds that an earlier call has done so.
func move(ctx context.Context, fs dfs.FileSystem, from, to string, length int64) error {
	src, err := fs.Stat(ctx, from)
	if failure.Is(err, failure.NotFound) {
		return arrived(ctx, fs, to, length)
	}
	if err != nil {
		return err
	}
	if src.Size != length {
		return failure.New(failure.Corrupt, "publish", fs.URI()+from, nil).Fix("the file changed after its task had succeeded; run the job again")
	}
	err = fs.Rename(ctx, from, to)
	if failure.Is(err, failure.NotFound) { // a rename whose answer was lost
		return arrived(ctx, fs, to, length)
	}
	return err
}

func arrived(ctx context.Context, fs dfs.FileSystem, to string, length int64) error {
	dst, err := fs.Stat(ctx, to)
	if err == nil && dst.Size == length {
		return nil
	}
	if err != nil && !failure.Is(err, failure.NotFound) {
		return err
	}
	return failure.New(failure.Corrupt, "publish", fs.URI()+to, err).Fix("a task's output has vanished; run the job again")
}

// Abort removes what attempts wrote, and what a Publish of these winners that failed halfway had moved already: after a job
// commit everything is there or nothing. The output directory goes too when only the job's own files were in it. What does
// not exist is fine.
func Abort(ctx context.Context, fs dfs.FileSystem, out string, winners []Winner) error {
	for _, w := range winners {
		for _, f := range w.Files {
			if err := retract(ctx, fs, out, f.Name); err != nil {
				return err
			}
		}
	}
	if err := fs.Delete(ctx, path.Join(out, Temporary), true); err != nil {
		return err
	}
	return removeEmpty(ctx, fs, out)
}

// retract deletes a published file and the directories between it and out that are empty then.
func retract(ctx context.Context, fs dfs.FileSystem, out, name string) error {
	if err := fs.Delete(ctx, path.Join(out, name), false); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if err := removeEmpty(ctx, fs, path.Join(out, dir)); err != nil {
			return err
		}
	}
	return nil
}

func removeEmpty(ctx context.Context, fs dfs.FileSystem, dir string) error {
	left, err := fs.List(ctx, dir)
	if failure.Is(err, failure.NotFound) || err == nil && len(left) > 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return fs.Delete(ctx, dir, false)
}
