// Package replace replaces a file or tree with a new version from the same owner. It builds the new
// version next to the old one, which stays until the new version is complete. It never replaces
// other files.
package replace

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// Target is a place where an owner repeatedly stores a result. Calls for the same place must not
// overlap.
//
// During a replacement, the directory .NAME.howdah next to the target contains the new and the old
// result. It also contains a proof of the owner's latest result. The proof is an empty file whose
// name is a checksum of the owner and of the names, sizes, and times of all files.
type Target struct {
	FS    dfs.FileSystem
	Path  string // absolute path, but not the root
	Owner string // only results of this owner are replaced
}

const proofPrefix = "proof-"

func (t Target) work() string  { return path.Join(path.Dir(t.Path), "."+path.Base(t.Path)+".howdah") }
func (t Target) fresh() string { return path.Join(t.work(), "new") }
func (t Target) old() string   { return path.Join(t.work(), "old") }

// With calls fill to create a file or tree at a temporary path and then moves the result to the
// target. fill must expect that an interrupted earlier call has left files at the temporary path.
// If the target has content that this owner did not store, or that has changed since, With keeps
// that content and returns an error of kind Exists.
//
// After an error or a crash, the target is the old version, the complete new version, or missing.
// If the target is missing, the next call first restores the old version.
func (t Target) With(ctx context.Context, fill func(ctx context.Context, to string) error) error {
	if t.Path == "/" {
		return failure.New(failure.Usage, "replace", "/", errors.New("it is the root of a file system")).
			Fix("use a directory below the root")
	}
	if err := t.FS.Mkdir(ctx, t.work()); err != nil {
		return err
	}
	if err := t.begin(ctx); err != nil {
		return err
	}
	if err := fill(ctx, t.fresh()); err != nil {
		return err
	}
	proof, err := t.proof(ctx, t.fresh())
	if err == nil {
		err = t.prove(ctx, proof)
	}
	if err == nil {
		err = t.mine(ctx) // the target might have changed during fill
	}
	if err == nil {
		err = t.swap(ctx)
	}
	if err != nil {
		return err
	}
	return t.tidy(ctx, proof)
}

// begin repairs the state that a crash may have left. It returns an error if the target does not
// belong to the owner.
func (t Target) begin(ctx context.Context) error {
	if err := t.putBack(ctx); err != nil {
		return err
	}
	if err := t.mine(ctx); err != nil {
		return err
	}
	return t.FS.Delete(ctx, t.old(), true)
}

// putBack restores the old result if the target is missing.
func (t Target) putBack(ctx context.Context) error {
	old, target, err := t.sides(ctx)
	if err != nil || target || !old {
		return err
	}
	return dfs.RenameOnce(ctx, t.FS, t.old(), t.Path)
}

func (t Target) sides(ctx context.Context) (old, target bool, err error) {
	if old, err = dfs.Exists(ctx, t.FS, t.old()); err == nil {
		target, err = dfs.Exists(ctx, t.FS, t.Path)
	}
	return old, target, err
}

// mine returns an error if this owner did not store the content of the target. Any owner can
// replace an empty directory.
func (t Target) mine(ctx context.Context) error {
	there, err := t.FS.Stat(ctx, t.Path)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if there.Dir {
		if list, err := t.FS.List(ctx, t.Path); err != nil || len(list) == 0 {
			return err
		}
	}
	proof, err := t.proof(ctx, t.Path)
	if err != nil {
		return err
	}
	known, err := dfs.Exists(ctx, t.FS, path.Join(t.work(), proof))
	if err == nil && !known {
		err = failure.New(failure.Exists, "replace", dfs.Qualify(t.FS, t.Path),
			errors.New(t.Owner+" did not write it, or it has changed since")).
			Fix("move it elsewhere or choose another path")
	}
	return err
}

// prove records that the file or tree with the given proof belongs to the owner.
func (t Target) prove(ctx context.Context, proof string) error {
	w, err := t.FS.Create(ctx, path.Join(t.work(), proof), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	return w.Close()
}

// swap moves the new result to the target. Except for putBack, it is the only step that changes the
// target. If the move fails, swap restores the old result.
func (t Target) swap(ctx context.Context) error {
	there, err := dfs.Exists(ctx, t.FS, t.Path)
	if err == nil && there {
		err = dfs.RenameOnce(ctx, t.FS, t.Path, t.old())
	}
	if err != nil {
		return err
	}
	if err = dfs.RenameOnce(ctx, t.FS, t.fresh(), t.Path); err != nil {
		return errors.Join(err, t.putBack(context.WithoutCancel(ctx)))
	}
	return nil
}

// tidy removes the old result and all proofs except the given one.
func (t Target) tidy(ctx context.Context, proof string) error {
	if err := t.FS.Delete(ctx, t.old(), true); err != nil {
		return err
	}
	list, err := t.FS.List(ctx, t.work())
	if err != nil {
		return err
	}
	for _, i := range list {
		if name := i.Name(); strings.HasPrefix(name, proofPrefix) && name != proof {
			if err := t.FS.Delete(ctx, i.Path, false); err != nil {
				return err
			}
		}
	}
	return nil
}
