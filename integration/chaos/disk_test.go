//go:build integration

package chaos

// fill takes all free space from a daemon's file system. As a result, a JobTracker may exit, and a
// TaskTracker cannot start.
func (f *fault) fill(part string) (func(), bool) {
	dir := f.disk(f.c.Dir, part)
	if !f.mounted || resize(dir, 0) != nil {
		return nil, false
	}
	f.strikes(part)
	f.excuses = append(f.excuses, part)
	return func() {
		if err := resize(dir, roomy); err != nil {
			f.t.Errorf("cannot give %s its disk back: %v", part, err)
		}
	}, true
}

// readOnly makes a TaskTracker's local directory read-only for all files opened from then on.
func (f *fault) readOnly() (func(), bool) {
	part := f.tracker()
	dir := f.disk(f.c.Dir, part)
	if !f.mounted || mountReadOnly(dir) != nil {
		return nil, false
	}
	f.strikes(part)
	f.excuses = append(f.excuses, part)
	return func() { _ = unmount(dir) }, true
}
