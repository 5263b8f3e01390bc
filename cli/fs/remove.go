package fs

import "errors"

func rm(s *shell, o options, args []string) error {
	recursive := o.has("r") || o.has("R")
	for _, a := range args {
		items, err := s.expand(a)
		if err != nil && !(o.has("f") && errors.Is(err, errNothing)) {
			s.report(err)
		}
		for _, i := range items {
			if s.stop() {
				return nil
			}
			if !i.there && o.has("f") {
				continue
			}
			if err := s.remove(i, recursive); err != nil {
				s.report(err)
			}
		}
	}
	return nil
}

func (s *shell) remove(i *item, recursive bool) error {
	if err := i.missing(); err != nil {
		return err
	}
	if i.dir() && !recursive {
		return pathError(i.shown, isDirectory)
	}
	if err := i.fs.Delete(s.ctx, i.path, recursive); err != nil {
		return explain(i.shown, err)
	}
	s.printf("Deleted %s\n", i.shown)
	return nil
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
