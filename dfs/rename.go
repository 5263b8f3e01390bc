package dfs

import (
	"context"
	"errors"

	"github.com/howdah/howdah/job/failure"
)

const renameTries = 3

// RenameOnce moves from to to and answers the question "did it happen?" that a lost answer leaves open: after any failure
// it compares both sides. It succeeds as soon as from is gone and to is there, also when an earlier call or process moved
// it. Callers make sure that nobody else creates to. Kind Exists when both are there, NotFound when neither is.
func RenameOnce(ctx context.Context, fs FileSystem, from, to string) error {
	var err error
	for range renameTries {
		if err = fs.Rename(ctx, from, to); err == nil {
			return nil
		}
		source, target, lookErr := bothSides(ctx, fs, from, to)
		switch {
		case lookErr != nil:
			return failure.New(failure.KindOf(lookErr), "rename", from+" to "+to, errors.Join(err, lookErr))
		case !source && target:
			return nil
		case !source:
			return failure.New(failure.NotFound, "rename", from+" to "+to, err)
		case target:
			return failure.New(failure.Exists, "rename", from+" to "+to, err)
		case !transient(err):
			return err
		}
	}
	return err
}

func bothSides(ctx context.Context, fs FileSystem, from, to string) (source, target bool, err error) {
	if source, err = Exists(ctx, fs, from); err == nil {
		target, err = Exists(ctx, fs, to)
	}
	return source, target, err
}

// transient reports whether the same call may succeed the next time.
func transient(err error) bool {
	switch failure.KindOf(err) {
	case failure.IO, failure.Unreachable, failure.Timeout:
		return true
	}
	return false
}

// Exists reports whether there is a file or directory.
func Exists(ctx context.Context, fs FileSystem, name string) (bool, error) {
	_, err := fs.Stat(ctx, name)
	if failure.Is(err, failure.NotFound) {
		return false, nil
	}
	return err == nil, err
}
