package fs

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// tree calls do for i and, with -R, for all items below it. With -R, it skips symbolic links,
// because their targets are not part of the tree.
func (s *shell) tree(o options, i *item, do func(*item) error) error {
	if err := do(i); err != nil || !o.has("R") || !i.dir() {
		return err
	}
	entries, err := s.list(i)
	for _, e := range entries {
		if s.stop() {
			return nil
		}
		if e.info.Link {
			continue
		}
		if err := s.tree(o, e, do); err != nil {
			s.report(err)
		}
	}
	return err
}

func chmod(s *shell, o options, args []string) error {
	change, err := parseMode(args[0])
	if err != nil {
		return err
	}
	s.each(args[1:], func(i *item) error {
		return s.tree(o, i, func(i *item) error {
			mode := change(i.info.Mode, i.info.Dir)
			return explain(i.shown, i.fs.SetMeta(s.ctx, i.path, dfs.Meta{Mode: &mode}))
		})
	})
	return nil
}

// parseMode parses an octal mode or a list such as "u+x,go-w". It returns a function that applies
// the mode to a file's old permissions and returns the new ones.
func parseMode(mode string) (func(old uint32, dir bool) uint32, error) {
	if n, err := strconv.ParseUint(mode, 8, 32); err == nil && (len(mode) == 3 || len(mode) == 4 && mode[0] <= '1') {
		return func(uint32, bool) uint32 { return uint32(n) }, nil
	}
	var clauses []clause
	for part := range strings.SplitSeq(mode, ",") {
		at := strings.IndexAny(part, "+-=")
		if at < 0 || strings.Trim(part[:at], "ugoa") != "" || strings.Trim(part[at+1:], "rwxXt") != "" {
			return nil, usagef("chmod : mode '%s' does not match the expected pattern.", mode)
		}
		clauses = append(clauses, clause{part[:at], part[at], part[at+1:]})
	}
	return func(old uint32, dir bool) uint32 {
		may := dir || old&0o111 != 0 // as in Hadoop, the old mode determines the effect of X in all clauses
		for _, c := range clauses {
			old = c.apply(old, may)
		}
		return old
	}, nil
}

// clause is one part of a symbolic mode: the users, an operator (+, - or =) and the permissions.
type clause struct {
	who  string
	op   byte
	what string
}

func (c clause) apply(old uint32, mayExecute bool) uint32 {
	var bits uint32 // for everybody
	for _, w := range c.what {
		switch {
		case w == 'r':
			bits |= 0o444
		case w == 'w':
			bits |= 0o222
		case w == 'x', w == 'X' && mayExecute:
			bits |= 0o111
		case w == 't':
			bits |= sticky
		}
	}
	mask := uint32(0o777)
	if c.who != "" && !strings.Contains(c.who, "a") {
		mask = 0
		for i, w := range "ugo" {
			if strings.ContainsRune(c.who, w) {
				mask |= 0o700 >> (3 * i)
			}
		}
	}
	switch c.op {
	case '+':
		return old | bits&(mask|sticky)
	case '-':
		return old &^ (bits & (mask | sticky))
	}
	return old&^mask | bits&(mask|sticky)
}

const ownerName = `[-_./@a-zA-Z0-9]`

func chown(s *shell, o options, args []string) error {
	m := regexp.MustCompile(`^(` + ownerName + `+)?(:(` + ownerName + `*))?$`).FindStringSubmatch(args[0])
	if m == nil {
		return usagef("'%s' does not match expected pattern for [owner][:group].", args[0])
	}
	if m[1] == "" && m[3] == "" {
		return usagef("'%s' does not specify owner or group.", args[0])
	}
	return s.setOwner(o, m[1], m[3], args[1:])
}

func chgrp(s *shell, o options, args []string) error {
	if !regexp.MustCompile(`^` + ownerName + `+$`).MatchString(args[0]) {
		return usagef("'%s' does not match expected pattern for group", args[0])
	}
	return s.setOwner(o, "", args[0], args[1:])
}

func (s *shell) setOwner(o options, owner, group string, args []string) error {
	s.each(args, func(i *item) error {
		return s.tree(o, i, func(i *item) error {
			var m dfs.Meta
			if owner != "" && owner != i.info.Owner {
				m.Owner = &owner
			}
			if group != "" && group != i.info.Group {
				m.Group = &group
			}
			if m == (dfs.Meta{}) {
				return nil
			}
			return s.ownerError(i, i.fs.SetMeta(s.ctx, i.path, m))
		})
	})
	return nil
}

func (s *shell) ownerError(i *item, err error) error {
	var f *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f) && f.Err != nil:
		return fmt.Errorf("changing ownership of '%s': %w: '%s'", i.shown, f.Err, f.On)
	}
	return fmt.Errorf("changing ownership of '%s': %w", i.shown, err)
}
