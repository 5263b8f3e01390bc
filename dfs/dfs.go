// Package dfs defines the contract between the runtime and storage: FileSystem and its optional
// extensions. Implementations include dfs/local, dfs/hdfs, and dfs/mem. Every implementation passes
// dfs/dfstest.
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

// FileSystem is a tree of files under one scheme and authority. Paths are absolute,
// slash-separated, and clean ("/a/b"), without a scheme. Errors are *failure.Error, usually of kind
// NotFound, Exists, Permission, IO, DiskFull, Corrupt, Unreachable, or Usage, or of kind Killed or
// Timeout if ctx has ended. All methods are safe for concurrent use. The values that they return
// are not, unless documented otherwise.
type FileSystem interface {
	// Scheme returns the URI's scheme: "file", "hdfs", "mem".
	Scheme() string
	// URI returns the root as users write it: "file:", "hdfs://host:port".
	URI() string

	// Open opens a file for reading. When ctx ends, Open and the File's methods stop waiting for other
	// machines.
	Open(ctx context.Context, name string) (File, error)
	// Create creates a file and its missing parents. If the file exists, Create returns an error of
	// kind Exists, unless CreateOptions.Overwrite or Append is set. With Overwrite, the old content
	// remains until Close. The file is complete only after Close has returned nil. It is certain to
	// survive a power failure only if Sync has also returned nil.
	Create(ctx context.Context, name string, o CreateOptions) (Writer, error)
	// Stat returns the Info of a file or directory. It returns an error of kind NotFound if name
	// does not exist.
	Stat(ctx context.Context, name string) (Info, error)
	// List returns a directory's entries sorted by name. For a file, it returns the file itself.
	List(ctx context.Context, name string) ([]Info, error)
	// Mkdir creates a directory and its missing parents. It returns no error if the directory
	// exists.
	Mkdir(ctx context.Context, name string) error
	// Rename moves a file or directory. The target's parent must exist. If the target exists, Rename
	// returns an error of kind Exists and replaces nothing. A retry of a rename that has succeeded
	// returns an error of kind NotFound, so callers that retry must check both paths first. See
	// RenameOnce.
	Rename(ctx context.Context, from, to string) error
	// Delete removes a file or a directory. If the directory is not empty and recursive is not set,
	// Delete returns an error of kind Exists. It returns no error if name does not exist.
	Delete(ctx context.Context, name string, recursive bool) error
	// Locations returns the blocks of a file that contain the bytes [off, off+n), in order. If a
	// Block's Hosts is nil, every node is equally close to it.
	Locations(ctx context.Context, name string, off, n int64) ([]Block, error)

	// SetMeta changes the attributes that are set in m. It returns an error of kind Usage for
	// attributes that the file system does not support.
	SetMeta(ctx context.Context, name string, m Meta) error
}

// File is an open file. ReadAt is safe for concurrent use. Read and Seek are not, because they
// share a position.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Size() int64
}

// Writer writes one file. Close publishes the written data. Abort discards the data and, if Create
// created the file, removes the file. Abort has no effect after Close.
type Writer interface {
	io.WriteCloser
	// Sync makes the written data durable.
	Sync() error
	Abort()
}

// CreateOptions holds the options of Create. The zero value creates a new file with the storage's
// defaults.
type CreateOptions struct {
	Overwrite   bool
	Replication int   // 0 means the default
	BlockSize   int64 // bytes; 0 means the default
	Mode        uint32
	Append      bool // append to an existing file; kind Usage if the file system cannot
}

// Info describes a file or directory.
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
	AccessList  bool // access depends on more than the permission bits; see AccessLister
	Link        bool // reached through a symbolic link; code that walks a tree to change it must not follow the link
}

// Name returns the last element of the path.
func (i Info) Name() string { return path.Base(i.Path) }

// Block is a range of a file and the nodes that store it.
type Block struct {
	Offset, Length int64
	Hosts          []string
}

// Meta holds attributes to change. Nil fields remain unchanged.
type Meta struct {
	Mode         *uint32
	Owner, Group *string
	ModTime      *time.Time
	AccessTime   *time.Time
	Replication  *int
}

// Path is a location with an optional scheme: "hdfs://nn:9820/in", "file:/tmp/x", "/tmp/x".
type Path struct {
	Scheme, Authority string // both empty for the default file system
	Path              string // clean; absolute or relative to the working directory
}

// ParsePath splits a path as a user writes it. If the text before the first colon contains no
// slash, it must be a scheme, and an absolute path must follow. Therefore, "a:b" is an error of
// kind Usage, not a file.
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
			return Path{}, failure.New(failure.Usage, "parse path", s, nil).
				Fix("a relative path must not contain ':' before its first '/'")
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

// String returns the path as Hadoop prints it.
func (p Path) String() string {
	switch {
	case p.Scheme == "":
		return p.Path
	case p.Authority == "":
		return p.Scheme + ":" + p.Path
	}
	return p.Scheme + "://" + p.Authority + p.Path
}

// Join returns the path with elem appended.
func (p Path) Join(elem ...string) Path {
	p.Path = path.Join(append([]string{p.Path}, elem...)...)
	return p
}
