package distcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// entry is an element of the listing. It describes a file or directory to copy.
type entry struct {
	Source string `json:"s"` // with scheme
	Target string `json:"t"` // path on the target's file system
	Dir    bool   `json:"d,omitempty"`
	Size   int64  `json:"n,omitempty"`

	// The attributes that -p can preserve.
	Mode        uint32 `json:"m,omitempty"`
	Owner       string `json:"o,omitempty"`
	Group       string `json:"g,omitempty"`
	Replication int    `json:"r,omitempty"`
	BlockSize   int64  `json:"b,omitempty"`
	Modified    int64  `json:"mt,omitempty"` // ms since 1970
	Accessed    int64  `json:"at,omitempty"` // ms since 1970; 0 or less if unknown
}

// place is a path on a file system.
type place struct {
	fs   dfs.FileSystem
	path string
}

func (p place) String() string { return dfs.Qualify(p.fs, p.path) }

// lister finds the files and directories to copy.
type lister struct {
	ctx     context.Context
	o       *options
	target  place
	exists  bool              // the target is an existing directory
	taken   map[string]string // by target path: the source
	entries []entry
	servers []string // roots of all file systems that the tasks use
}

var (
	errTwice  = errors.New("another source has the same target")
	errInside = errors.New("the target is inside the source")
)

// source adds src and everything below it to the listing. several indicates whether there are other
// sources.
func (l *lister) source(src place, several bool) error {
	root, err := src.fs.Stat(l.ctx, src.path)
	if err != nil {
		return err
	}
	target := l.target.path
	if (l.exists || several) && !(l.o.contents() && root.Dir) {
		target = path.Join(target, path.Base(src.path))
	}
	if src.fs == l.target.fs && root.Dir && (target == src.path || below(src.path, target)) {
		return failure.New(failure.Usage, "copy", src.String(), fmt.Errorf("%w: %s", errInside, l.target))
	}
	return l.walk(src, root, target)
}

func below(dir, name string) bool {
	return dir == "/" || len(name) > len(dir) && name[:len(dir)+1] == dir+"/"
}

func (l *lister) walk(src place, i dfs.Info, target string) error {
	if other, ok := l.taken[target]; ok {
		if other != "" && !i.Dir {
			return failure.New(failure.Usage, "copy", src.String(), fmt.Errorf("%w: %s", errTwice, other))
		}
	} else {
		l.taken[target] = src.String()
		l.entries = append(l.entries, entry{Source: src.String(), Target: target, Dir: i.Dir, Size: i.Size, Mode: i.Mode,
			Owner: i.Owner, Group: i.Group, Replication: i.Replication, BlockSize: i.BlockSize, Modified: i.ModTime.UnixMilli(),
			Accessed: i.AccessTime.UnixMilli()})
	}
	if !i.Dir || i.Link {
		return nil
	}
	children, err := src.fs.List(l.ctx, src.path)
	for _, c := range children {
		if err := l.walk(place{src.fs, c.Path}, c, path.Join(target, c.Name())); err != nil {
			return err
		}
	}
	return err
}

// write stores the listing, without its directories, in the file that the maps read.
func (l *lister) write(to place) error {
	f, err := to.fs.Create(l.ctx, to.path, dfs.CreateOptions{})
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	for _, e := range l.entries {
		if e.Dir {
			continue
		}
		b, err := json.Marshal(e)
		if err == nil {
			_, err = w.Write(append(b, '\n'))
		}
		if err != nil {
			f.Abort()
			return err
		}
	}
	if err := w.Flush(); err != nil {
		f.Abort()
		return err
	}
	return f.Close()
}

// stretch is the part of the listing that one map processes.
type stretch struct {
	start, end int64 // offsets in the listing
	bytes      int64 // total size of the files
}

// cut divides the listing, in order, into at most maps stretches of about the same number of bytes
// to copy. total is the number of bytes of all files.
func cut(r io.Reader, total int64, maps int) ([]stretch, error) {
	share := max(total/int64(maps), 1)
	var out []stretch
	now := stretch{}
	in := bufio.NewReader(r)
	for pos := int64(0); ; {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, failure.New(failure.Corrupt, "read", "the listing of files", err)
		}
		if now.end > now.start && now.bytes+e.Size > share && len(out) < maps-1 {
			out = append(out, now)
			now = stretch{start: pos}
		}
		pos += int64(len(line))
		now.end, now.bytes = pos, now.bytes+e.Size
	}
	if now.end > now.start {
		out = append(out, now)
	}
	return out, nil
}

func (p place) child(name string) place { return place{p.fs, path.Join(p.path, name)} }
