package dfs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

const (
	maxPattern      = 16 << 10 // bytes
	maxAlternatives = 4096     // maximum number of combinations of a pattern's {a,b} groups
)

// IsGlob reports whether p contains a special character of Hadoop's patterns.
func IsGlob(p string) bool { return strings.ContainsAny(p, `*?[{\`) }

// Glob returns the distinct files and directories that a pattern matches, sorted by path. The
// syntax is Hadoop's: * matches any number of characters, ? matches one character, [abc] and [a-b]
// match one character in a set, [^a] matches one that is not in a set, \c matches the character c,
// and {a,b} matches either a or b. The wildcards * and ? match a leading '.' but not '/'. If the
// pattern matches nothing, Glob returns an empty list, even if the pattern is a plain path. Glob
// returns an error of kind Usage if it finds that the pattern is malformed.
func Glob(ctx context.Context, fs FileSystem, pattern string) ([]Info, error) {
	g := &globber{ctx: ctx, fs: fs, dirs: map[string][]Info{}, found: map[string]Info{}}
	if len(pattern) > maxPattern {
		return nil, badGlob(pattern[:40]+"...", fmt.Errorf("longer than %d bytes", maxPattern))
	}
	plain, err := braces(pattern)
	if err == nil && len(plain) > maxAlternatives {
		err = fmt.Errorf("more than %d alternatives", maxAlternatives)
	}
	if err != nil {
		return nil, badGlob(pattern, err)
	}
	for _, p := range plain {
		if err := g.match("/", strings.Split(strings.Trim(path.Clean(p), "/"), "/")); err != nil {
			if errors.Is(err, errGlob) {
				return nil, badGlob(pattern, err)
			}
			return nil, err
		}
	}
	out := make([]Info, 0, len(g.found))
	for _, i := range g.found {
		out = append(out, i)
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func badGlob(pattern string, why error) error {
	return failure.New(failure.Usage, "match", pattern, why).
		Fix(`patterns are made of * ? [abc] [a-b] [^a] {a,b} and \c for a plain character c`)
}

type globber struct {
	ctx   context.Context
	fs    FileSystem
	dirs  map[string][]Info // entries of the directories listed so far, shared by all alternatives
	found map[string]Info
}

// match adds to g.found what the given elements of the pattern match below dir.
func (g *globber) match(dir string, elements []string) error {
	for i, e := range elements {
		if name, literal := unescape(e); literal {
			dir = path.Join(dir, name)
			continue
		}
		if err := wellFormed(e); err != nil {
			return err
		}
		entries, err := g.list(dir)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !matchName(e, entry.Name()) {
				continue
			}
			if i == len(elements)-1 {
				g.found[entry.Path] = entry
			} else if entry.Dir {
				if err := g.match(entry.Path, elements[i+1:]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	info, err := g.fs.Stat(g.ctx, dir)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	if err == nil {
		g.found[info.Path] = info
	}
	return err
}

// list returns the entries of a directory. It returns an empty list for a file or a missing name.
func (g *globber) list(dir string) ([]Info, error) {
	if l, ok := g.dirs[dir]; ok {
		return l, nil
	}
	l, err := g.fs.List(g.ctx, dir)
	if failure.Is(err, failure.NotFound) || len(l) == 1 && l[0].Path == dir {
		l, err = nil, nil
	}
	if err == nil {
		g.dirs[dir] = l
	}
	return l, err
}

// Match reports whether name, which is one element of a path, matches a pattern in Glob's syntax.
// It returns an error of kind Usage if it finds that the pattern is malformed.
func Match(pattern, name string) (bool, error) {
	alternatives, err := braces(pattern)
	if err != nil {
		return false, badGlob(pattern, err)
	}
	for _, a := range alternatives {
		if err := wellFormed(a); err != nil {
			return false, badGlob(pattern, err)
		}
		if matchName(a, name) {
			return true, nil
		}
	}
	return false, nil
}
