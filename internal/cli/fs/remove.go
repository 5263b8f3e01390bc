package fs

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

func rm(s *shell, o options, args []string) error {
	recursive := o.has("r") || o.has("R")
	items := s.found(args, func(arg string) ([]*item, error) {
		items, err := s.expand(arg)
		if o.has("f") && errors.Is(err, errNothing) {
			err = nil
		}
		return items, err
	})
	s.eachFound(items, func(i *item) error {
		if !i.there && o.has("f") {
			return nil
		}
		return s.remove(o, i, recursive)
	})
	return nil
}

func (s *shell) remove(o options, i *item, recursive bool) error {
	if err := i.missing(); err != nil {
		return err
	}
	if i.dir() && !recursive {
		return pathError(i.shown, isDirectory)
	}
	if o.has("safely") && i.dir() {
		if yes, err := s.confirmed(i); err != nil || !yes {
			return err
		}
	}
	if !o.has("skipTrash") {
		if _, err := i.fs.Stat(s.ctx, i.path); failure.Is(err, failure.NotFound) { // deleted by an earlier argument
			return fmt.Errorf("File does not exist: %s", i.uri())
		}
		if taken, err := s.toTrash(i); err != nil || taken {
			return err
		}
	}
	if err := i.fs.Delete(s.ctx, i.path, recursive); err != nil {
		return explain(i.shown, err)
	}
	s.printf("Deleted %s\n", i.shown)
	return nil
}

// toTrash moves an item to the trash. It returns false if there is no trash or the item is already
// in it.
func (s *shell) toTrash(i *item) (taken bool, err error) {
	t, err := s.trashOf(i.fs)
	if err == nil && t != nil {
		taken, err = t.take(i)
	}
	if err != nil {
		return false, fmt.Errorf("%w. Consider using -skipTrash option", err)
	}
	return taken, nil
}

func rmr(s *shell, _ options, args []string) error { return rm(s, options{"r": ""}, args) }

func rmdir(s *shell, o options, args []string) error {
	s.each(args, func(i *item) error {
		if !i.dir() {
			return pathError(i.shown, notDir)
		}
		entries, err := s.list(i)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			if o.has("-ignore-fail-on-non-empty") {
				return nil
			}
			return pathError(i.shown, notEmpty)
		}
		return explain(i.shown, i.fs.Delete(s.ctx, i.path, false))
	})
	return nil
}
