package fs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/dfs"
)

func getfacl(s *shell, o options, args []string) error {
	if err := onePath(args); err != nil {
		return err
	}
	s.each(args, func(i *item) error {
		return s.tree(o, i, s.printAccessList)
	})
	return nil
}

func onePath(args []string) error {
	switch {
	case len(args) == 0:
		return usageError("<path> is missing")
	case len(args) > 1:
		return usageError("Too many arguments")
	}
	return nil
}

func (s *shell) printAccessList(i *item) error {
	s.printf("# file: %s\n# owner: %s\n# group: %s\n", i.shown, i.info.Owner, i.info.Group)
	l, ok := i.fs.(dfs.AccessLister)
	var entries []dfs.AccessEntry
	if ok {
		var err error
		if entries, err = l.AccessList(s.ctx, i.path); err != nil {
			return explain(i.shown, err)
		}
	}
	if i.info.Mode&sticky != 0 {
		s.printf("# flags: --%c\n", letters(i.info.Mode)[8])
	}
	access, later := wholeList(i.info.Mode, entries)
	s.printEntries(access)
	s.printEntries(later)
	s.printf("\n")
	return nil
}

// wholeList combines mode's permission bits with the entries of an access control list. It returns
// the access entries and the default entries. If the list has access entries, mode's group bits
// are the mask, which limits all entries except those for the owner and for others.
func wholeList(mode uint32, entries []dfs.AccessEntry) (access, later []dfs.AccessEntry) {
	access = []dfs.AccessEntry{{Type: "user", Permissions: mode >> 6 & 7}}
	for _, e := range entries {
		if e.Default {
			later = append(later, e)
		} else {
			access = append(access, e)
		}
	}
	group := "group"
	if len(access) > 1 {
		group = "mask"
	}
	return append(access, dfs.AccessEntry{Type: group, Permissions: mode >> 3 & 7},
		dfs.AccessEntry{Type: "other", Permissions: mode & 7}), later
}

// printEntries prints an access control list. If the mask restricts an entry, printEntries also
// prints the entry's effective permissions.
func (s *shell) printEntries(entries []dfs.AccessEntry) {
	mask := uint32(7)
	for _, e := range entries {
		if e.Type == "mask" {
			mask = e.Permissions
		}
	}
	for _, e := range entries {
		s.printf("%s", entryText(e))
		if effective := e.Permissions & mask; effective != e.Permissions && (e.Name != "" || e.Type == "group") {
			s.printf("\t#effective:%s", letters(effective)[6:])
		}
		s.printf("\n")
	}
}

func entryText(e dfs.AccessEntry) string {
	scope := ""
	if e.Default {
		scope = "default:"
	}
	return scope + e.Type + ":" + e.Name + ":" + letters(e.Permissions)[6:]
}

func setfacl(s *shell, o options, args []string) error {
	change, err := parseAccessChange(o, &args)
	if err != nil {
		return err
	}
	if err := onePath(args); err != nil {
		return err
	}
	s.each(args, func(i *item) error {
		return s.tree(o, i, func(i *item) error {
			l, ok := i.fs.(dfs.AccessLister)
			if !ok {
				return pathError(i.shown, i.fs.Scheme()+": does not support access control lists")
			}
			return explain(i.shown, change(s.ctx, l, i))
		})
	})
	return nil
}

// parseAccessChange returns a function that makes the change that o specifies. If the change needs
// a list of entries, parseAccessChange removes that list from the front of args.
func parseAccessChange(o options, args *[]string) (func(context.Context, dfs.AccessLister, *item) error, error) {
	remove, modify := o.has("b") || o.has("k"), o.has("m") || o.has("x")
	switch {
	case !remove && !modify && !o.has("-set"):
		return nil, usageError("Expected one of -b, -k, -m, -x or --set options")
	case o.has("b") && o.has("k"), o.has("m") && o.has("x"), remove && modify, o.has("-set") && (remove || modify):
		return nil, usageError("Specified flags contains both remove and modify flags")
	case remove:
		return func(ctx context.Context, l dfs.AccessLister, i *item) error {
			return l.ClearAccessList(ctx, i.path, o.has("k"))
		}, nil
	case len(*args) < 2:
		return nil, usageError("Missing either <acl_spec> or <path>")
	}
	entries, err := parseEntries((*args)[0], !o.has("x"))
	if err != nil {
		return nil, err
	}
	*args = (*args)[1:]
	return func(ctx context.Context, l dfs.AccessLister, i *item) error {
		entries := entries
		if o.has("R") && !i.dir() { // default entries do not apply to files
			entries = slices.DeleteFunc(slices.Clone(entries), func(e dfs.AccessEntry) bool { return e.Default })
		}
		switch {
		case o.has("-set"):
			return l.SetAccessList(ctx, i.path, entries)
		case len(entries) == 0:
			return nil
		case o.has("x"):
			return l.RemoveAccess(ctx, i.path, entries)
		}
		return l.ModifyAccessList(ctx, i.path, entries)
	}, nil
}

// parseEntries parses a list such as "user:alice:rw-,default:group::r--". If permissions is false,
// the entries must not contain permissions.
func parseEntries(spec string, permissions bool) ([]dfs.AccessEntry, error) {
	var out []dfs.AccessEntry
	for one := range strings.SplitSeq(spec, ",") {
		e, err := parseEntry(one, permissions)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func parseEntry(text string, permissions bool) (e dfs.AccessEntry, err error) {
	parts := strings.Split(strings.TrimRight(text, ":"), ":")
	if parts[0] == "default" {
		e.Default = true
		parts = parts[1:]
	}
	invalid := usagef("Invalid <aclSpec> : %s", text)
	if len(parts) == 0 || parts[0] == "" {
		return e, invalid
	}
	e.Type, parts = strings.ToLower(parts[0]), parts[1:]
	if !slices.Contains([]string{"user", "group", "mask", "other"}, e.Type) {
		return e, usagef("Invalid type of acl in <aclSpec> :%s", text)
	}
	if len(parts) > 0 {
		e.Name, parts = parts[0], parts[1:]
	}
	if permissions {
		if len(parts) == 0 {
			return e, invalid
		}
		if e.Permissions, err = parsePermissions(parts[0]); err != nil {
			return e, usagef("Invalid permission in <aclSpec> : %s", text)
		}
		parts = parts[1:]
	}
	if len(parts) > 0 {
		return e, invalid
	}
	return e, nil
}

// parsePermissions parses permissions such as "rw-".
func parsePermissions(text string) (uint32, error) {
	for p := range uint32(8) {
		if letters(p)[6:] == text {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%q is not a set of permissions", text)
}
