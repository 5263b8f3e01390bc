// Package disktest tests programs with disks that fail, become full, or lose changes. A [Disk]
// makes every change in a real directory, and records which changes a power failure could undo.
package disktest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/howdah/howdah/internal/disk"
)

// Op is a change to a disk.
type Op string

// The kinds of changes. Open includes opening an existing file.
const (
	Open     Op = "open"
	Mkdir    Op = "mkdir"
	Rename   Op = "rename"
	Remove   Op = "remove"
	Write    Op = "write"
	Truncate Op = "truncate"
	Sync     Op = "sync"
	SyncDir  Op = "syncdir"
)

// Disk is a disk.FS for the files below a real directory. It is safe for concurrent use.
type Disk struct {
	// Fault decides which changes fail. It returns the error with which a change must fail, or nil. A
	// failing write still writes the first half of its bytes, as on a full disk. A failing Sync of a
	// file loses the data that it should have made durable, and later syncs do not write that data
	// again. Set Fault before the first use.
	Fault func(op Op, name string) error

	root string

	mu      sync.Mutex
	files   map[string]*node // by path relative to root, as the directory is now
	pending []*change        // changes to names that are not durable yet, in order
	durable map[string]*node // as the directory is after a power failure
	ops     int
	cut     int // number of changes after which the power is cut; 0 means never
}

// node is a file or a directory.
type node struct {
	dir     bool
	perm    os.FileMode
	content []byte  // durable content
	writes  []write // later writes, in order
}

// write is an unsynced write to a file, or an unsynced truncation of the file.
type write struct {
	at       int64
	bytes    []byte
	truncate bool // truncates to at bytes
	lost     bool // a sync has failed, so that only the size can become durable
}

// change is an unsynced change to names. After a power failure, either all or none of its effects
// survive.
type change struct{ effects []effect }

// effect assigns a node to a path, or removes the path if node is nil.
type effect struct {
	path string
	node *node
}

// ErrPower is the error of every change after the power has been cut.
var ErrPower = fmt.Errorf("the power is cut: %w", syscall.EIO)

// New returns a disk for the files below root, which must exist. All existing files are durable.
func New(root string) (*Disk, error) {
	d := &Disk{root: root, files: map[string]*node{}, durable: map[string]*node{}}
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		n := &node{dir: e.IsDir(), perm: info.Mode().Perm()}
		if !n.dir {
			if n.content, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		d.files[d.rel(name)] = n
		d.durable[d.rel(name)] = n
		return nil
	})
	return d, err
}

// CutAfter cuts the power after n more changes.
func (d *Disk) CutAfter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut = max(1, d.ops+n)
}

// Cut cuts the power now.
func (d *Disk) Cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.off() {
		d.ops++
		d.cut = d.ops
	}
}

// Ops returns the number of changes that the program has made so far.
func (d *Disk) Ops() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ops
}

// Off reports whether the power is cut.
func (d *Disk) Off() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.off()
}

func (d *Disk) off() bool { return d.cut > 0 && d.ops >= d.cut }

func (d *Disk) rel(name string) string {
	abs, err := filepath.Abs(name)
	if err == nil {
		name = abs
	}
	rel, err := filepath.Rel(d.root, name)
	if err != nil {
		return name
	}
	return rel
}

// begin counts a change and returns the error with which the change must fail, or nil.
func (d *Disk) begin(op Op, name string) error {
	if d.off() {
		return ErrPower
	}
	d.ops++
	if d.Fault != nil {
		if err := d.Fault(op, name); err != nil {
			return &os.PathError{Op: string(op), Path: name, Err: err}
		}
	}
	return nil
}

// OpenFile implements disk.FS.
func (d *Disk) OpenFile(name string, flag int, perm os.FileMode) (disk.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(Open, name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	rel := d.rel(name)
	n := d.files[rel]
	if n == nil {
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		n = &node{perm: info.Mode().Perm(), dir: info.IsDir()}
		d.files[rel] = n
		d.pending = append(d.pending, &change{[]effect{{rel, n}}})
	} else if flag&os.O_TRUNC != 0 {
		n.writes = append(n.writes, write{truncate: true})
	}
	return &file{File: f, d: d, n: n, appends: flag&os.O_APPEND != 0}, nil
}

// Mkdir implements disk.FS.
func (d *Disk) Mkdir(name string, perm os.FileMode) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(Mkdir, name); err != nil {
		return err
	}
	if err := os.Mkdir(name, perm); err != nil {
		return err
	}
	n := &node{dir: true, perm: perm}
	d.files[d.rel(name)] = n
	d.pending = append(d.pending, &change{[]effect{{d.rel(name), n}}})
	return nil
}

// Rename implements disk.FS. It replaces an existing target. The files of a directory move with it.
func (d *Disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(Rename, to); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	c := &change{}
	from, to = d.rel(from), d.rel(to)
	for _, path := range d.below(from) {
		n := d.files[path]
		delete(d.files, path)
		moved := to + path[len(from):]
		d.files[moved] = n
		c.effects = append(c.effects, effect{path, nil}, effect{moved, n})
	}
	d.pending = append(d.pending, c)
	return nil
}

// below returns root and all paths below it.
func (d *Disk) below(root string) (list []string) {
	for path := range d.files {
		if path == root || len(path) > len(root) && path[:len(root)] == root && path[len(root)] == '/' {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// Remove implements disk.FS.
func (d *Disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(Remove, name); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil {
		return err
	}
	delete(d.files, d.rel(name))
	d.pending = append(d.pending, &change{[]effect{{d.rel(name), nil}}})
	return nil
}

// RemoveAll removes a file or directory and everything below it.
func (d *Disk) RemoveAll(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(Remove, name); err != nil {
		return err
	}
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	c := &change{}
	for _, path := range d.below(d.rel(name)) {
		delete(d.files, path)
		c.effects = append(c.effects, effect{path, nil})
	}
	d.pending = append(d.pending, c)
	return nil
}

// SyncDir implements disk.FS. It makes durable only the changes to names in this directory.
func (d *Disk) SyncDir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(SyncDir, dir); err != nil {
		return err
	}
	rel := d.rel(dir)
	left := d.pending[:0]
	for _, c := range d.pending {
		if slices.ContainsFunc(c.effects, func(e effect) bool { return filepath.Dir(e.path) == rel }) {
			c.apply(d.durable)
		} else {
			left = append(left, c)
		}
	}
	d.pending = left
	return nil
}

func (c *change) apply(to map[string]*node) {
	for _, e := range c.effects {
		if e.node == nil {
			delete(to, e.path)
		} else {
			to[e.path] = e.node
		}
	}
}

// file is an open file of a Disk.
type file struct {
	*os.File
	d       *Disk
	n       *node
	appends bool
}

func (f *file) Write(b []byte) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	at, err := f.Seek(0, 1)
	if f.appends && err == nil {
		at, err = f.Seek(0, 2)
	}
	if err != nil {
		return 0, err
	}
	return f.write(at, b, f.File.Write)
}

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return f.write(at, b, func(b []byte) (int, error) { return f.File.WriteAt(b, at) })
}

func (f *file) write(at int64, b []byte, do func([]byte) (int, error)) (int, error) {
	fault := f.d.begin(Write, f.Name())
	if fault != nil && f.d.off() {
		return 0, fault
	}
	if fault != nil {
		b = b[:len(b)/2]
	}
	n, err := do(b)
	f.n.writes = append(f.n.writes, write{at: at, bytes: slices.Clone(b[:n])})
	return n, errors.Join(fault, err)
}

func (f *file) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.begin(Truncate, f.Name()); err != nil {
		return err
	}
	f.n.writes = append(f.n.writes, write{at: size, truncate: true})
	return f.File.Truncate(size)
}

func (f *file) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.d.off() {
		return ErrPower
	}
	if err := f.d.begin(Sync, f.Name()); err != nil {
		f.n.lose()
		return err
	}
	f.n.content, f.n.writes = f.n.replay(func() bool { return true }), nil
	return nil
}

// lose drops the content of the pending writes, but not the size of the file. The kernel does the
// same after an error, because it marks the pages as clean although they are not on the disk.
func (n *node) lose() {
	for i := range n.writes {
		n.writes[i].lost = true
	}
}

// replay returns the file's content after a power failure. It starts with the durable content, and
// calls survives for each pending write, and then for each sector of the write, to decide whether
// to apply it.
func (n *node) replay(survives func() bool) []byte {
	out := slices.Clone(n.content)
	for _, w := range n.writes {
		switch {
		case !survives():
			continue
		case w.truncate:
			out = resize(out, w.at)
			continue
		}
		out = resize(out, max(int64(len(out)), w.at+int64(len(w.bytes))))
		for rest, at := w.bytes, w.at; len(rest) > 0 && !w.lost; {
			n := min(disk.Sector-int(at%disk.Sector), len(rest))
			if survives() {
				copy(out[at:], rest[:n])
			}
			rest, at = rest[n:], at+int64(n)
		}
	}
	return out
}

func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size]
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

// Restore cuts the power and writes what is left on the disk to an empty directory. rng determines
// which unsynced changes survive. It is possible that only some sectors of a write survive.
func (d *Disk) Restore(to string, rng *rand.Rand) error {
	d.Cut()
	d.mu.Lock()
	defer d.mu.Unlock()
	tree := map[string]*node{}
	for path, n := range d.durable {
		tree[path] = n
	}
	// All, none, or some of the changes survive. Real disks do all three.
	likely := []float64{0, 0.5, 1}[rng.IntN(3)]
	survives := func() bool { return rng.Float64() < likely }
	for _, c := range d.pending {
		if survives() {
			c.apply(tree)
		}
	}
	paths := make([]string, 0, len(tree))
	for path := range tree {
		paths = append(paths, path)
	}
	slices.Sort(paths) // directories come before their files
	for _, path := range paths {
		n := tree[path]
		name := filepath.Join(to, path)
		if n.dir {
			if err := os.MkdirAll(name, n.perm|0o700); err != nil {
				return err
			}
			continue
		}
		if parent := tree[filepath.Dir(path)]; parent == nil || !parent.dir {
			continue // the name of the file's directory is lost
		}
		content := n.replay(survives)
		if err := os.WriteFile(name, content, n.perm|0o600); err != nil {
			return err
		}
	}
	return nil
}
