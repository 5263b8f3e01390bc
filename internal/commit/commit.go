// Package commit publishes a job's output from a manifest. Attempts write only below
// OUT/_temporary/0/ATTEMPT. Publish moves only the output of the winning attempts, as recorded in
// the journal, to OUT. If the job wants _SUCCESS, Publish writes it last. Every step except Prepare
// can be repeated after a crash at any point.
//
// Other users or tasks might replace OUT, or a directory in it, with a symbolic link. If so, every
// function except Prepare leaves the link's target alone and returns an error of kind Permission.
// Links in the path to OUT are allowed.
package commit

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Names in an output directory, as in Hadoop.
const (
	Temporary = "_temporary"
	Success   = "_SUCCESS"
)

// Winner is a successful attempt and its output files.
type Winner struct {
	Attempt string // attempt_…
	Files   []job.OutputFile
}

// AttemptDir returns the directory for an attempt's output.
func AttemptDir(out, attempt string) string { return path.Join(out, Temporary, "0", attempt) }

// Prepare creates OUT/_temporary/0. If the output directory already exists, Prepare creates
// nothing, and the error is of kind Exists.
func Prepare(ctx context.Context, fs dfs.FileSystem, out string) error {
	if err := checkAbsent(ctx, fs, out); err != nil {
		return err
	}
	return fs.Mkdir(ctx, path.Join(out, Temporary, "0"))
}

func checkAbsent(ctx context.Context, fs dfs.FileSystem, out string) error {
	found, err := dfs.Exists(ctx, fs, out)
	if found {
		err = failure.New(failure.Exists, "prepare output", fs.URI()+out, nil).
			Fix("choose another output directory or remove this one")
	}
	return err
}

// Claim is like Prepare, but can be repeated if the JobTracker crashes during the call, because the
// same owner can claim the directory again. For any other owner the error is of kind Exists.
//
// Claim builds the directory under a hidden name next to OUT and then renames it. Thus OUT appears
// with its owner's mark, even on a file system that creates OUT and OUT/_temporary in two steps.
//
// If storage rejects the claim, Claim removes what it has created. If storage does not answer,
// Claim leaves it for the owner's next call.
//
// owner is a file name, such as a job's ID. It must not begin with a dot. Two owners must not claim
// a directory concurrently.
func Claim(ctx context.Context, fs dfs.FileSystem, out, owner string) error {
	if claimed, err := isClaimed(ctx, fs, out, owner); claimed || err != nil {
		return err
	}
	if err := checkAbsent(ctx, fs, out); err != nil {
		return err
	}
	hidden := unnamed(out, owner)
	err := build(ctx, fs, hidden, owner)
	if err == nil {
		err = fs.Rename(ctx, hidden, out)
	}
	if err != nil && !failure.Is(err, failure.Unreachable) && !failure.Is(err, failure.Timeout) {
		// Storage has permanently rejected the claim, for example because of a quota. The owner
		// will not retry.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawLimit)
		defer cancel()
		_ = fs.Delete(ctx, hidden, true)
	}
	return err
}

// withdrawLimit is the maximum time for removing a rejected claim.
const withdrawLimit = 20 * time.Second

// unnamed returns the hidden name that an output directory has until its claim is complete.
func unnamed(out, owner string) string { return path.Join(path.Dir(out), "."+owner) }

// build creates an output directory, dir, that contains owner's mark.
func build(ctx context.Context, fs dfs.FileSystem, dir, owner string) error {
	// The directories need separate calls. HDFS gives missing parents of a file the permissions of
	// the directory above. Under /tmp, all users could write to them.
	if err := fs.Mkdir(ctx, dir); err != nil {
		return err
	}
	fs = dfs.Within(fs, dir)
	if err := fs.Mkdir(ctx, path.Join(dir, Temporary)); err != nil {
		return err
	}
	w, err := fs.Create(ctx, path.Join(dir, Temporary, owner), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return fs.Mkdir(ctx, path.Join(dir, Temporary, "0"))
}

// Unclaim undoes a claim, even one that a crash interrupted, and removes the attempts' output as
// Abort does. It leaves OUT alone unless owner has claimed it.
func Unclaim(ctx context.Context, fs dfs.FileSystem, out, owner string) error {
	if err := fs.Delete(ctx, unnamed(out, owner), true); err != nil {
		return err
	}
	if claimed, err := isClaimed(ctx, fs, out, owner); !claimed || err != nil {
		return err
	}
	return Abort(ctx, fs, out, nil, true)
}

// isClaimed reports whether the directory contains owner's mark.
func isClaimed(ctx context.Context, fs dfs.FileSystem, out, owner string) (bool, error) {
	return dfs.Exists(ctx, dfs.Within(fs, out), path.Join(out, Temporary, owner))
}

// Publish moves the winners' files to OUT and removes OUT/_temporary. If mark is set, it then
// writes _SUCCESS. The attempts have already made the content of the files durable. Publish makes
// the names durable before it writes _SUCCESS. If Publish is interrupted at any point, the caller
// can call it again. An error of kind Corrupt means that a file in the manifest is in neither the
// attempt's directory nor OUT, or that its length differs from that in the manifest.
func Publish(ctx context.Context, fs dfs.FileSystem, out string, winners []Winner, mark bool) error {
	fs = dfs.Within(fs, out)
	made := map[string]bool{out: true} // directories that exist
	for _, w := range winners {
		from := AttemptDir(out, w.Attempt)
		for _, f := range w.Files {
			to := path.Join(out, f.Name)
			if dir := path.Dir(to); !made[dir] {
				if err := fs.Mkdir(ctx, dir); err != nil {
					return err
				}
				for ; !made[dir]; dir = path.Dir(dir) { // Mkdir has also made the parents
					made[dir] = true
				}
			}
			if err := move(ctx, fs, path.Join(from, f.Name), to, f.Length); err != nil {
				return err
			}
		}
	}
	if err := dfs.Persist(ctx, fs, slices.Collect(maps.Keys(made))...); err != nil {
		return err
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
	if err := w.Close(); err != nil {
		return err
	}
	return dfs.Persist(ctx, fs, path.Join(out, Success))
}

// move renames one file, whose length must be length. It succeeds if an earlier call has already
// moved the file.
func move(ctx context.Context, fs dfs.FileSystem, from, to string, length int64) error {
	src, err := fs.Stat(ctx, from)
	if failure.Is(err, failure.NotFound) {
		return arrived(ctx, fs, to, length)
	}
	if err != nil {
		return err
	}
	if src.Size != length {
		return failure.New(failure.Corrupt, "publish", fs.URI()+from, nil).
			Fix("the file changed after its task succeeded; run the job again")
	}
	err = fs.Rename(ctx, from, to)
	if failure.Is(err, failure.NotFound) { // the file system renamed the file, but the reply was lost
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
	return failure.New(failure.Corrupt, "publish", fs.URI()+to, err).Fix("a task's output is missing; run " +
		"the job again")
}

// Abort removes the output of all attempts, and the files that an incomplete Publish of these
// winners has already moved. It also removes the output directory if that is then empty. Missing
// files are not an error.
//
// Abort never removes the output of a complete Publish. Therefore, a damaged journal cannot lead to
// the loss of a successful job's output. mark must be the same as for Publish.
func Abort(ctx context.Context, fs dfs.FileSystem, out string, winners []Winner, mark bool) error {
	in := dfs.Within(fs, out)
	complete, err := isPublished(ctx, in, out, mark)
	if err != nil {
		return err
	}
	if complete {
		winners = nil // keep their files
	}
	for _, w := range winners {
		for _, f := range w.Files {
			if err := retract(ctx, in, out, f.Name); err != nil {
				return err
			}
		}
	}
	if err := in.Delete(ctx, path.Join(out, Temporary), true); err != nil {
		return err
	}
	if empty, err := isEmpty(ctx, in, out); !empty || err != nil {
		return err
	}
	return fs.Delete(ctx, out, false) // does not follow a link
}

// Completed reports whether a Publish that writes _SUCCESS has completed. OUT then contains
// _SUCCESS but no owner's mark. OUT/_temporary may exist, because tasks that run again create it.
func Completed(ctx context.Context, fs dfs.FileSystem, out string) (bool, error) {
	fs = dfs.Within(fs, out)
	if done, err := isPublished(ctx, fs, out, true); !done || err != nil {
		return false, err
	}
	left, err := fs.List(ctx, path.Join(out, Temporary))
	if failure.Is(err, failure.NotFound) {
		return true, nil
	}
	return err == nil && !slices.ContainsFunc(left, func(i dfs.Info) bool { return !i.Dir }), err
}

// isPublished reports whether a Publish has completed. With mark, it checks only that _SUCCESS
// exists, because later attempts can create OUT/_temporary again. Without mark, it checks that
// OUT/_temporary is absent.
func isPublished(ctx context.Context, fs dfs.FileSystem, out string, mark bool) (bool, error) {
	if mark {
		return dfs.Exists(ctx, fs, path.Join(out, Success))
	}
	working, err := dfs.Exists(ctx, fs, path.Join(out, Temporary))
	return !working, err
}

// retract deletes a published file and then any empty directories between it and out.
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
	if empty, err := isEmpty(ctx, fs, dir); !empty || err != nil {
		return err
	}
	return fs.Delete(ctx, dir, false)
}

// isEmpty reports whether a directory exists and is empty.
func isEmpty(ctx context.Context, fs dfs.FileSystem, dir string) (bool, error) {
	left, err := fs.List(ctx, dir)
	if failure.Is(err, failure.NotFound) {
		return false, nil
	}
	return err == nil && len(left) == 0, err
}
