package cgroup

import "context"

// Fixed is a group that has no owner and exists until Remove removes it. Its limits apply to all
// groups below it together, including those of other processes.
type Fixed struct {
	h    hierarchy
	cfg  Config
	path string
}

// OpenFixed returns the group at an absolute path in the hierarchy. The group need not exist.
// OpenFixed ignores cfg.Name. If no control groups are mounted, it returns an error of kind
// NotFound.
func OpenFixed(cfg Config, path string) (*Fixed, error) {
	cfg.Name = "fixed"
	if err := cfg.fill(); err != nil {
		return nil, err
	}
	h, err := detect(cfg.Mount, cfg.Log)
	if err != nil {
		return nil, err
	}
	return &Fixed{h, cfg, path}, nil
}

// Limit sets the group's limits. It creates the group if necessary.
func (f *Fixed) Limit(l Limits) error {
	l, err := l.check()
	if err != nil {
		return err
	}
	if err := f.h.prepare(f.path); err != nil {
		return refused(f.path, f.path, err)
	}
	g := &Group{path: f.path, control: f.h.open(f.path)}
	return g.explain("limit control group", g.control.set(l, nil))
}

// Join moves a process into the sub-group with the given name. It creates the sub-group if
// necessary.
func (f *Fixed) Join(name string, pid int) error {
	path := f.path + "/" + name
	l, _ := Limits{}.check()
	c, err := f.h.create(path, l)
	if err != nil {
		return refused(f.path, path, err)
	}
	return (&Group{path: path}).explain("put into control group", c.join(pid))
}

// Remove kills all processes in the group and below it, and removes the group. It returns nil if
// the group is missing. It retries until ctx is done.
func (f *Fixed) Remove(ctx context.Context) error {
	_, err := clear(ctx, f.h, f.path, f.cfg.Log)
	return err
}
