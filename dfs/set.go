package dfs

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// Constructor creates the file system for one authority ("" for file:, "host:port" for hdfs:).
type Constructor func(authority string) (FileSystem, error)

// Set is a Resolver for a fixed set of schemes. It creates each file system on first use and keeps
// it. It is safe for concurrent use.
type Set struct {
	schemes map[string]Constructor
	def     Path // fs.defaultFS
	work    Path // base of relative paths

	mu  sync.Mutex
	all map[string]FileSystem // by scheme and authority
}

// NewSet returns a Set that resolves paths according to fs.defaultFS and mapreduce.job.working.dir.
// If the latter is unset, relative paths start at the process's working directory on file:, and at
// /user/NAME on other file systems.
func NewSet(c *conf.Config, schemes map[string]Constructor) (*Set, error) {
	s := &Set{schemes: schemes, all: map[string]FileSystem{}}
	var err error
	if s.def, err = defaultFS(c); err != nil {
		return nil, err
	}
	if s.work, err = s.workingDir(c); err != nil {
		return nil, err
	}
	return s, nil
}

func defaultFS(c *conf.Config) (Path, error) {
	v := strings.TrimSpace(conf.FSDefaultFS.Get(c))
	switch v {
	case "", "local":
		v = "file:///"
	}
	p, err := ParsePath(v)
	if err != nil || p.Scheme == "" {
		return Path{}, c.Refuse(conf.FSDefaultFS.Name, err).Fix("write a URI: file:/// or hdfs://host:port")
	}
	return p, nil
}

func (s *Set) workingDir(c *conf.Config) (Path, error) {
	const key = "mapreduce.job.working.dir"
	w := s.def
	switch configured := conf.JobWorkingDir.Get(c); {
	case configured != "":
		p, err := ParsePath(configured)
		if err != nil || !path.IsAbs(p.Path) {
			return Path{}, c.Refuse(key, err).Fix("name an absolute directory")
		}
		if p.Scheme != "" {
			return p, nil
		}
		w.Path = p.Path
	case s.def.Scheme == "file":
		wd, err := os.Getwd()
		if err != nil {
			return Path{}, failure.New(failure.KindOf(err), "find the working directory", "", err)
		}
		w.Path = wd
	default:
		w.Path = "/user/" + passwd.Me()
	}
	return w, nil
}

// Resolve implements Resolver. It returns an error of kind Usage for an unknown scheme.
func (s *Set) Resolve(name string) (FileSystem, string, error) {
	p, err := ParsePath(name)
	if err != nil {
		return nil, "", err
	}
	switch {
	case p.Scheme == "" && path.IsAbs(p.Path):
		p.Scheme, p.Authority = s.def.Scheme, s.def.Authority
	case p.Scheme == "":
		p = s.work.Join(p.Path)
	case p.Scheme == s.def.Scheme && p.Authority == "":
		p.Authority = s.def.Authority // "hdfs:/x" means the default NameNode
	}
	fs, err := s.get(p)
	return fs, p.Path, err
}

func (s *Set) get(p Path) (FileSystem, error) {
	open := s.schemes[p.Scheme]
	if open == nil {
		known := strings.Join(slices.Sorted(maps.Keys(s.schemes)), ", ")
		return nil, failure.New(failure.Usage, "resolve", p.String(), fmt.Errorf("No FileSystem for scheme %q", p.Scheme)).
			Fix("known schemes: " + known)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := p.Scheme + "://" + p.Authority
	if fs := s.all[key]; fs != nil {
		return fs, nil
	}
	fs, err := open(p.Authority)
	if err != nil {
		return nil, err
	}
	s.all[key] = fs
	return fs, nil
}

// Close closes the file systems that have open connections. They must not be used afterward.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, fs := range s.all {
		if c, ok := fs.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	clear(s.all)
	return err
}

// Qualify returns name with the scheme and authority of fs: "file:/tmp/x".
func Qualify(fs FileSystem, name string) string { return fs.URI() + name }
