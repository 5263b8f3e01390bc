// Package replace puts a new file or tree in the place of an older one of the same owner: the new one comes about beside it, and the old
// one stays until the new one is complete. Nothing else is ever replaced.
package replace

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// Target is a place where an owner puts what it makes, again and again. One call at a time may work on a place.
//
// Beside it lies a directory, .NAME.howdah, with what is being made, with what is being replaced, and with a proof of what the owner has put
// there last: a file that is named after a checksum of the names, sizes and times of all files.
type Target struct {
	FS    dfs.FileSystem
	Path  string // absolute; not the root
	Owner string // of another owner nothing is replaced
}

const proofPrefix = "proof-"

func (t Target) work() string  { return path.Join(path.Dir(t.Path), "."+path.Base(t.Path)+".howdah") }
func (t Target) fresh() string { return path.Join(t.work(), "new") }
func (t Target) old() string   { return path.Join(t.work(), "old") }

// With has fill make a file or tree under the name that it is given, and puts that in the target's place. Something may lie there already:
// what an earlier call had begun. When the target holds what this owner has not put there, or what was changed since, nothing happens
// (kind Exists). After an error, or a crash at any moment, the target is as it was, complete and new, or for a moment not there, and the next call goes on.
func (t Target) With(ctx context.Context, fill func(ctx context.Context, to string) error) error {
	if t.Path == "/" {
		return failure.New(failure.Usage, "replace", "/", errors.New("the root of a file system cannot be replaced")).Fix("name a directory in it")
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
		err = t.mine(ctx) // it took a while
	}
	if err == nil {
		err = t.swap(ctx)
	}
	if err != nil {
		return err
	}
	return t.tidy(ctx, proof)
}

// begin mends what a crash left and refuses a target of others.
func (t Target) begin(ctx context.Context) error {
	if err := t.putBack(ctx); err != nil {
		return err
	}
	if err := t.mine(ctx); err != nil {
		return err
	}
	return t.FS.Delete(ctx, t.old(), true)
}

// putBack gives the old one its place again if there is nothing.
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

// mine refuses what this owner has not put there. An empty directory is nobody's loss.
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
		err = failure.New(failure.Exists, "replace", dfs.Qualify(t.FS, t.Path), errors.New("it was not put there by "+t.Owner+", or was changed since")).
			Fix("move it away or name another place")
	}
	return err
}

// prove says that what has this proof is the owner's.
func (t Target) prove(ctx context.Context, proof string) error {
	w, err := t.FS.Create(ctx, path.Join(t.work(), proof), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	return w.Close()
}

// swap is all that happens to the target. If the new one cannot get there the old one comes back.
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

// tidy removes what was replaced, and its proof.
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
