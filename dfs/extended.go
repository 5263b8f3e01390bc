package dfs

import (
	"context"
	"time"
)

// What HDFS can do beyond files and directories. Callers ask as for what is in optional.go.

// Homer is a FileSystem whose users have homes.
type Homer interface {
	// Home gives the caller's directory, from which relative paths start.
	Home() string
}

// TrashKeeper is a FileSystem that says whether its users' trash is kept.
type TrashKeeper interface {
	// TrashInterval is how long deleted files stay in the trash; 0 = the storage leaves that to its clients.
	TrashInterval(ctx context.Context) (time.Duration, error)
}

// Summary is what a directory holds with all below it, or a file.
type Summary struct {
	Dirs, Files   int64 // a directory counts itself
	Bytes, Space  int64 // of files, and with all their replicas
	Quota         int64 // how many files and directories there may be; -1 = no limit
	SpaceQuota    int64 // how many bytes with all their replicas; -1 = no limit
	TypeQuotas    []TypeQuota
	Snapshot      SnapshotSummary // the part that only snapshots hold
	ErasureCoding string          // name of the policy; "" = replication
}

// TypeQuota is the quota of one type of storage: "DISK", "SSD" and so on.
type TypeQuota struct {
	Type        string
	Quota, Used int64 // bytes
}

// SnapshotSummary is what only snapshots hold of a tree.
type SnapshotSummary struct {
	Dirs, Files, Bytes, Space int64
}

// Summarizer is a FileSystem that knows the totals of a tree without walking through it.
type Summarizer interface {
	Summarize(ctx context.Context, name string) (Summary, error)
}

// Checksum is a checksum of a file as the storage keeps it. Two files with the same algorithm and the same bytes are equal;
// files with another algorithm may be.
type Checksum struct {
	Algorithm string
	Bytes     []byte
}

// Checksummer is a FileSystem that keeps checksums of files.
type Checksummer interface {
	Checksum(ctx context.Context, name string) (Checksum, error)
}

// LazyTruncater is a FileSystem that may still work on a file after it cut it.
type LazyTruncater interface {
	// BeginTruncate cuts a file to size bytes. If done is false it can be written to only after AwaitClosed.
	BeginTruncate(ctx context.Context, name string, size int64) (done bool, err error)
	AwaitClosed(ctx context.Context, name string) error
}

// Concatenator is a FileSystem that can join files without copying them.
type Concatenator interface {
	// Concat appends the sources, files of the target's directory, to the target; they are gone afterwards.
	Concat(ctx context.Context, target string, sources []string) error
}

// Snapshotter is a FileSystem that keeps the past of directories for which an administrator allowed that.
type Snapshotter interface {
	// CreateSnapshot gives the path of the snapshot; an empty name means one made of the time.
	CreateSnapshot(ctx context.Context, dir, name string) (path string, err error)
	RenameSnapshot(ctx context.Context, dir, from, to string) error
	DeleteSnapshot(ctx context.Context, dir, name string) error
}

// AccessEntry is one line of an access-control list.
type AccessEntry struct {
	Default     bool   // for what is made in the directory later
	Type        string // "user", "group", "mask", "other"
	Name        string // "" = the owner, or the owning group
	Permissions uint32 // 4 read, 2 write, 1 execute
}

// AccessLister is a FileSystem with access-control lists.
type AccessLister interface {
	// AccessList gives the entries beyond the permission bits, in the storage's order.
	AccessList(ctx context.Context, name string) ([]AccessEntry, error)
	// SetAccessList replaces the whole list; the entries of owner, group and other must be among the new ones.
	SetAccessList(ctx context.Context, name string, entries []AccessEntry) error
	// ModifyAccessList adds entries, or changes the permissions of those that are there.
	ModifyAccessList(ctx context.Context, name string, entries []AccessEntry) error
	// RemoveAccess removes entries; their permissions do not matter.
	RemoveAccess(ctx context.Context, name string, entries []AccessEntry) error
	// ClearAccessList removes all but the permission bits, or only what is for files to come.
	ClearAccessList(ctx context.Context, name string, onlyDefault bool) error
}

// Attribute is an extended attribute. Its name begins with its namespace: "user.origin".
type Attribute struct {
	Name  string
	Value []byte
}

// Attributer is a FileSystem with extended attributes.
type Attributer interface {
	// Attributes gives the named attributes; none means all that the caller may see.
	Attributes(ctx context.Context, name string, attributes ...string) ([]Attribute, error)
	SetAttribute(ctx context.Context, name string, a Attribute) error
	RemoveAttribute(ctx context.Context, name, attribute string) error
}
