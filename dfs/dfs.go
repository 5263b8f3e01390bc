// Package dfs is the contract between the runtime and storage. dfs/local, dfs/mem and dfs/faultfs implement it; every
// implementation passes dfs/dfstest.
package dfs

import (
	"context"
	"io"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// FileSystem is a tree of files under one scheme and authority. Paths are absolute, slash-separated and clean
// ("/a/b"), without scheme. Errors are *failure.Error with kinds NotFound, Exists, Permission, IO, DiskFull, Corrupt,
// Unreachable or Usage. All methods may be called concurrently; what they return may not, unless it says so.
type FileSystem interface {
	// Scheme gives the URI's scheme: "file", "hdfs", "mem".
	Scheme() string
	// URI gives the root as users write it: "file:", "hdfs://host:port".
	URI() string

	// Open opens a file for reading. Every wait ends when ctx does.
	Open(ctx context.Context, name string) (File, error)
	// Create makes a new file and its missing parents. An existing file is replaced only with CreateOptions.Overwrite
	// (kind Exists otherwise). The file is complete only after Close returned nil; that it survives a power failure is sure only
	// if Sync did, too.
	Create(ctx context.Context, name string, o CreateOptions) (Writer, error)
	// Stat describes a file or directory; kind NotFound if there is none.
	Stat(ctx context.Context, name string) (Info, error)
	// List gives a directory's entries sorted by name; of a file, the file itself.
	List(ctx context.Context, name string) ([]Info, error)
	// Mkdir makes a directory and its missing parents; an existing directory is fine.
	Mkdir(ctx context.Context, name string) error
	// Rename moves a file or directory; it never replaces anything (kind Exists). The target's parent must exist.
	// Repeating a rename that had succeeded gives NotFound; callers that retry compare both sides first.
	Rename(ctx context.Context, from, to string) error
	// Delete removes a file, or a directory with all below it when recursive is set. What does not exist is no error.
	Delete(ctx context.Context, name string, recursive bool) error
	// Locations tells where the bytes [off, off+n) of a file lie, in order. Hosts may be nil: anywhere.
	Locations(ctx context.Context, name string, off, n int64) ([]Block, error)

	// SetMeta changes the attributes that are set in m; those that the storage has not are kind Usage.
	SetMeta(ctx context.Context, name string, m Meta) error
}

// File is an open file. ReadAt may be called concurrently; Read and Seek share one position.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Size() int64
}

// Writer writes one file. Close publishes it. Abort gives up: the file is removed; after Close it does nothing.
type Writer interface {
	io.WriteCloser
	// Sync makes what was written durable.
	Sync() error
	Abort()
}

// CreateOptions tune Create; the zero value creates a new file with the storage's defaults.
type CreateOptions struct {
	Overwrite   bool
	Replication int   // 0 = default
	BlockSize   int64 // bytes, 0 = default
	Mode        uint32
	Append      bool // continue an existing file instead (kind Usage where that cannot be)
}

// Info describes one entry.
type Info struct {
	Path        string // absolute
	Size        int64
	Dir         bool
	Mode        uint32 // permission bits
	ModTime     time.Time
	AccessTime  time.Time
	Owner       string
	Group       string
	BlockSize   int64
	Replication int
	AccessList  bool // more than the permission bits decides who may do what; see AccessLister
	Link        bool // reached through a symbolic link; whoever walks a tree to change it stops here
}

// Name gives the last element of the path.
func (i Info) Name() string { return path.Base(i.Path) }

// Block is a stretch of a file and the nodes that hold it.
type Block struct {
	Offset, Length int64
	Hosts          []string
}

// Meta holds attributes to change; nil fields stay.
type Meta struct {
	Mode         *uint32
	Owner, Group *string
	ModTime      *time.Time
	AccessTime   *time.Time
	Replication  *int
}

// Path is a location with its scheme: "hdfs://nn:9820/in", "file:/tmp/x", "/tmp/x".
type Path struct {
	Scheme, Authority string // both may be empty: the default file system
	Path              string // clean; absolute or relative to the working directory
}

// ParsePath splits a path as a user writes it. Only a known shape of scheme counts, so that "a:b" is a Usage error and
// not a file.
func ParsePath(s string) (Path, error) {
	if s == "" {
		return Path{}, failure.New(failure.Usage, "parse path", `""`, nil).Fix("name a file or directory")
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || strings.Contains(scheme, "/") {
		return Path{Path: path.Clean(s)}, nil
	}
	for _, c := range scheme {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			return Path{}, failure.New(failure.Usage, "parse path", s, nil).Fix("a relative path must not contain ':' before its first '/'")
		}
	}
	p := Path{Scheme: scheme}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		p.Authority, rest, ok = strings.Cut(after, "/")
		if ok {
			rest = "/" + rest
		}
	}
	if a, err := url.PathUnescape(p.Authority); err == nil {
		p.Authority = a
	}
	if rest == "" {
		rest = "/"
	}
	if rest[0] != '/' {
		return Path{}, failure.New(failure.Usage, "parse path", s, nil).Fix("a path with a scheme must be absolute")
	}
	p.Path = path.Clean(rest)
	return p, nil
}

// String gives the path as Hadoop prints it.
func (p Path) String() string {
	switch {
	case p.Scheme == "":
		return p.Path
	case p.Authority == "":
		return p.Scheme + ":" + p.Path
	}
	return p.Scheme + "://" + p.Authority + p.Path
}

// Join appends elements to the path.
func (p Path) Join(elem ...string) Path {
	p.Path = path.Join(append([]string{p.Path}, elem...)...)
	return p
}
