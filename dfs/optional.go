package dfs

import "context"

// This file declares optional features of file systems. Callers check for them with a type
// assertion. Tasks must apply the assertion to the result of Plain.

// Truncater is a FileSystem that can truncate files.
type Truncater interface {
	// Truncate truncates a file to size bytes. It returns an error of kind Usage if the file is
	// shorter.
	Truncate(ctx context.Context, name string, size int64) error
}

// Accesser is a FileSystem that can check the caller's permissions.
type Accesser interface {
	// Access returns an error of kind Permission if the caller may not write name (if write is set)
	// or read it (if not).
	Access(ctx context.Context, name string, write bool) error
}

// Spacer is a FileSystem that can report its capacity.
type Spacer interface {
	// Space returns the capacity of the storage that contains name.
	Space(ctx context.Context, name string) (Space, error)
}

// Space is a capacity, in bytes. Bytes reserved for other uses count as used, or as neither used
// nor free.
type Space struct {
	Total, Used, Free int64
}

// BlockLister is a FileSystem that can return block locations with a listing, in one call instead
// of one per file.
type BlockLister interface {
	// ListBlocks returns the result of List and, for each file, the result of Locations for the
	// whole file.
	ListBlocks(ctx context.Context, name string) ([]Info, [][]Block, error)
}

// Impersonator is a FileSystem that a process can use with another user's permissions. It is for
// daemons that run as root.
type Impersonator interface {
	// As returns the file system with the given user's permissions. A process that is not root keeps
	// its own permissions. For root, the error is of kind Permission if this machine does not have the
	// user.
	As(user string) (FileSystem, error)
}

// Confiner is a FileSystem with symbolic links that can keep operations inside a directory.
type Confiner interface {
	// Within returns the file system restricted to dir and the paths below it. Its operations
	// return an error of kind Permission if dir itself is a symbolic link, or if a path leads out
	// of dir through a link. They return an error for every path outside dir.
	Within(dir string) FileSystem
}

// Within restricts fs to the directory dir, as Confiner describes. If fs is not a Confiner, Within
// does not restrict it. A restricted file system has none of the optional interfaces of fs except
// Persister.
func Within(fs FileSystem, dir string) FileSystem {
	switch f := fs.(type) {
	case counting:
		return counting{Within(f.FileSystem, dir), f.ops}
	case Confiner:
		return f.Within(dir)
	}
	return fs
}

// Persister is a FileSystem whose changes survive a power failure only after an extra step. The
// local file system is one. HDFS relies on its replicas instead.
type Persister interface {
	// Persist makes the content and the names of files and directories durable. The content of a
	// directory is the list of its entries, without their content.
	Persist(ctx context.Context, names ...string) error
}

// Volatile returns a file system that behaves like fs but is not a Persister. It is for changes
// that do not have to survive a power failure. Its only optional interface is Confiner.
func Volatile(fs FileSystem) FileSystem { return volatile{fs} }

type volatile struct{ FileSystem }

func (v volatile) Within(dir string) FileSystem { return volatile{Within(v.FileSystem, dir)} }

// Persist makes files and directories durable if fs is a Persister.
func Persist(ctx context.Context, fs FileSystem, names ...string) error {
	if p, ok := Plain(fs).(Persister); ok {
		return p.Persist(ctx, names...)
	}
	return nil
}
