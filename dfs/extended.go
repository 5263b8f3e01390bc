package dfs

import (
	"context"
	"time"
)

// This file declares optional interfaces for HDFS features beyond files and directories. Callers
// check for them in the same way as for the interfaces in optional.go.

// Homer is a FileSystem whose users have home directories.
type Homer interface {
	// Home returns the caller's home directory.
	Home() string
}

// TrashKeeper is a FileSystem that determines how long its clients keep deleted files in the trash.
type TrashKeeper interface {
	// TrashInterval returns how long deleted files stay in the trash. Zero means that the client's
	// configuration decides.
	TrashInterval(ctx context.Context) (time.Duration, error)
}

// Summary contains the totals of a file or a directory tree.
type Summary struct {
	Dirs, Files   int64 // Dirs includes the directory itself
	Bytes, Space  int64 // Bytes counts each file once; Space counts all replicas
	Quota         int64 // maximum number of files and directories; -1 means no limit
	SpaceQuota    int64 // maximum number of bytes, including all replicas; -1 means no limit
	TypeQuotas    []TypeQuota
	Snapshot      SnapshotSummary // the part of these totals that exists only in snapshots
	ErasureCoding string          // name of the policy; "" means replication
}

// TypeQuota is the quota of one type of storage: "DISK", "SSD" and so on.
type TypeQuota struct {
	Type        string
	Quota, Used int64 // bytes
}

// SnapshotSummary contains the totals of files and directories that exist only in snapshots.
type SnapshotSummary struct {
	Dirs, Files, Bytes, Space int64
}

// Summarizer is a FileSystem that returns the totals of a tree without walking the tree.
type Summarizer interface {
	Summarize(ctx context.Context, name string) (Summary, error)
}

// Checksum is a file's checksum as the file system computes it. Only checksums with the same
// Algorithm are comparable.
type Checksum struct {
	Algorithm string
	Bytes     []byte
}

// Checksummer is a FileSystem that returns checksums of files.
type Checksummer interface {
	Checksum(ctx context.Context, name string) (Checksum, error)
}

// LazyTruncater is a FileSystem that may still be truncating a file when BeginTruncate returns.
type LazyTruncater interface {
	// BeginTruncate starts to truncate a file to size bytes. If done is false, the caller must not
	// write to the file until AwaitClosed returns.
	BeginTruncate(ctx context.Context, name string, size int64) (done bool, err error)
	AwaitClosed(ctx context.Context, name string) error
}

// Concatenator is a FileSystem that can join files without copying them.
type Concatenator interface {
	// Concat appends the sources to the target and removes the sources. The sources must be files in
	// the target's directory.
	Concat(ctx context.Context, target string, sources []string) error
}

// Snapshotter is a FileSystem with snapshots of directories. An administrator must first allow
// snapshots of a directory.
type Snapshotter interface {
	// CreateSnapshot creates a snapshot and returns its path. If name is empty, the file system
	// derives a name from the time.
	CreateSnapshot(ctx context.Context, dir, name string) (path string, err error)
	RenameSnapshot(ctx context.Context, dir, from, to string) error
	DeleteSnapshot(ctx context.Context, dir, name string) error
}

// AccessEntry is one line of an access-control list.
type AccessEntry struct {
	Default     bool   // inherited by later children of the directory
	Type        string // "user", "group", "mask", "other"
	Name        string // "" means the owner or the owning group; unused for "mask" and "other"
	Permissions uint32 // sum of 4 (read), 2 (write), and 1 (execute)
}

// AccessLister is a FileSystem with access-control lists.
type AccessLister interface {
	// AccessList returns the entries that are not part of the permission bits, in the file system's
	// order.
	AccessList(ctx context.Context, name string) ([]AccessEntry, error)
	// SetAccessList replaces the whole list. The new list must include entries for owner, group,
	// and other.
	SetAccessList(ctx context.Context, name string, entries []AccessEntry) error
	// ModifyAccessList adds the given entries. If an entry already exists, it changes the entry's
	// permissions.
	ModifyAccessList(ctx context.Context, name string, entries []AccessEntry) error
	// RemoveAccess removes the given entries. It ignores their Permissions.
	RemoveAccess(ctx context.Context, name string, entries []AccessEntry) error
	// ClearAccessList removes all entries that are not part of the permission bits. If onlyDefault
	// is set, it removes only the entries that later children inherit.
	ClearAccessList(ctx context.Context, name string, onlyDefault bool) error
}

// Attribute is an extended attribute. Its name begins with its namespace: "user.origin".
type Attribute struct {
	Name  string
	Value []byte
}

// Attributer is a FileSystem with extended attributes.
type Attributer interface {
	// Attributes returns the named attributes of a file. If no attribute is named, it returns all
	// attributes that the caller may see.
	Attributes(ctx context.Context, name string, attributes ...string) ([]Attribute, error)
	SetAttribute(ctx context.Context, name string, a Attribute) error
	RemoveAttribute(ctx context.Context, name, attribute string) error
}
