package fs

import (
	"errors"
	"syscall"
)

func mv(s *shell, o options, args []string) error {
	t := &transfer{shell: s, o: o}
	t.one = t.move
	return t.all(args, s.expand, s.remote)
}

func (t *transfer) move(src, target *item) error {
	switch {
	case src.fs != target.fs:
		return pathError(src.shown, "Does not match target filesystem")
	case target.there:
		return pathError(target.shown, fileExists)
	}
	err := src.fs.Rename(t.ctx, src.path, target.path)
	if errors.Is(err, syscall.EXDEV) {
		return t.moveAcross(src, target)
	}
	return explain(src.shown, err)
}

// moveAcross moves an item to another device. It makes a copy that keeps times, owner, group, and
// permissions, and deletes the source only after the copy is complete.
func (t *transfer) moveAcross(src, target *item) error {
	copying := &transfer{shell: t.shell, o: options{"p": ""}}
	before := t.failed()
	if err := copying.copy(src, target); err != nil {
		return err
	}
	if t.failed() > before || t.ctx.Err() != nil {
		return nil // already reported
	}
	return explain(src.shown, src.fs.Delete(t.ctx, src.path, true))
}

func moveToLocal(*shell, options, []string) error {
	return errors.New("Option '-moveToLocal' is not implemented yet.")
}
