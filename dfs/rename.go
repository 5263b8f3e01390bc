package dfs

import (
	"context"
	"errors"

	"github.com/howdah/howdah/job/failure"
)

const renameTries = 3

// RenameOnce moves a file or directory. The answer to a successful rename can be lost, so
// RenameOnce checks both paths after an error. It succeeds when the source is gone and the target
// exists, even if an earlier call or process moved the file. No other process may create the target
// during the call. RenameOnce returns an error of kind Exists if both paths exist, and NotFound if
// neither exists.
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

// transient reports whether a retry of the same call might succeed.
func transient(err error) bool {
	switch failure.KindOf(err) {
	case failure.IO, failure.Unreachable, failure.Timeout:
		return true
	}
	return false
}

// Exists reports whether name is a file or directory.
func Exists(ctx context.Context, fs FileSystem, name string) (bool, error) {
	_, err := fs.Stat(ctx, name)
	if failure.Is(err, failure.NotFound) {
		return false, nil
	}
	return err == nil, err
}
