package cgroup

import "context"

// Fixed is a group that belongs to nobody and stays until it is removed: it limits all groups below it together, whoever makes them.
// cfg.Name is not used.
type Fixed struct {
	h    hierarchy
	cfg  Config
	path string
}

// OpenFixed gives the group at a path, an absolute one in the hierarchy, which may exist. Errors are those of Open.
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

// Limit makes the group unless it is there, and sets its limits.
func (f *Fixed) Limit(l Limits) error {
	l, err := l.check()
	if err != nil {
		return err
	}
	if err := f.h.prepare(f.path); err != nil {
		return refused(f.path, err)
	}
	g := &Group{path: f.path, control: f.h.open(f.path)}
	return g.explain("limit control group", g.control.set(l, nil))
}

// Join puts a process into a group below, which is made unless it is there.
func (f *Fixed) Join(name string, pid int) error {
	path := f.path + "/" + name
	l, _ := Limits{}.check()
	c, err := f.h.create(path, l)
	if err != nil {
		return refused(path, err)
	}
	return (&Group{path: path}).explain("put into control group", c.join(pid))
}

// Remove kills what is left in the group and below, and removes it. A group that is gone is no error. It tries until ctx ends.
func (f *Fixed) Remove(ctx context.Context) error {
	_, err := clear(ctx, f.h, f.path, f.cfg.Log)
	return err
}
