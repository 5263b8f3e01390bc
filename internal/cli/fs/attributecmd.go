package fs

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

func getfattr(s *shell, o options, args []string) error {
	encode, err := encoder(o)
	switch {
	case err != nil:
		return err
	case !o.has("n") && !o.has("d"):
		return usageError("Must specify '-n name' or '-d' option.")
	}
	if err := onePath(args); err != nil {
		return usagef("%v.", err)
	}
	var names []string
	if o.has("n") {
		names = []string{o["n"]}
	}
	s.each(args, func(i *item) error {
		return s.tree(o, i, func(i *item) error {
			s.printf("# file: %s\n", i.shown)
			a, ok := i.fs.(dfs.Attributer)
			if !ok {
				return noAttributes(i)
			}
			all, err := a.Attributes(s.ctx, i.path, names...)
			if err != nil {
				return attributeError(i, err)
			}
			slices.SortFunc(all, func(a, b dfs.Attribute) int { return strings.Compare(a.Name, b.Name) })
			for _, a := range all {
				s.printf("%s", a.Name)
				if len(a.Value) > 0 {
					s.printf("=%s", encode(a.Value))
				}
				s.printf("\n")
			}
			return nil
		})
	})
	return nil
}

func noAttributes(i *item) error {
	return pathError(i.shown, i.fs.Scheme()+": does not support extended attributes")
}

// attributeError converts an error about an invalid attribute name to a usage error.
func attributeError(i *item, err error) error {
	if failure.Is(err, failure.Usage) && refused(err) == "" {
		return usagef("%v", unwrapped(err))
	}
	return explain(i.shown, err)
}

// encoder returns the encoding that -e selects.
func encoder(o options) (func([]byte) string, error) {
	switch strings.ToLower(o["e"]) {
	case "", "text":
		return func(b []byte) string { return `"` + string(b) + `"` }, nil
	case "hex":
		return func(b []byte) string { return "0x" + hex.EncodeToString(b) }, nil
	case "base64":
		return func(b []byte) string { return "0s" + base64.StdEncoding.EncodeToString(b) }, nil
	}
	return nil, usagef("Invalid/unsupported encoding option specified: %s", o["e"])
}

// decodeValue decodes the value of -v, which is text, "text", 0xHEX, or 0sBASE64.
func decodeValue(v string) ([]byte, error) {
	switch {
	case len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"':
		return []byte(v[1 : len(v)-1]), nil
	case strings.HasPrefix(v, "0x"), strings.HasPrefix(v, "0X"):
		return hex.DecodeString(v[2:])
	case strings.HasPrefix(v, "0s"), strings.HasPrefix(v, "0S"):
		return base64.StdEncoding.DecodeString(v[2:])
	}
	return []byte(v), nil
}

func setfattr(s *shell, o options, args []string) error {
	value, err := decodeValue(o["v"])
	switch {
	case err != nil:
		return usagef("%s is not a valid value: %v", o["v"], err)
	case o.has("n") && o.has("x"):
		return usageError("Can not specify both '-n name' and '-x name' option.")
	case !o.has("n") && !o.has("x"):
		return usageError("Must specify '-n name' or '-x name' option.")
	}
	if err := onePath(args); err != nil {
		return usagef("%v.", err)
	}
	s.each(args, func(i *item) error {
		a, ok := i.fs.(dfs.Attributer)
		switch {
		case !ok:
			return noAttributes(i)
		case o.has("x"):
			return attributeError(i, a.RemoveAttribute(s.ctx, i.path, o["x"]))
		}
		return attributeError(i, a.SetAttribute(s.ctx, i.path, dfs.Attribute{Name: o["n"], Value: value}))
	})
	return nil
}

// copyAttributes copies the extended attributes of src to target if both file systems support them.
func (s *shell) copyAttributes(src, target *item) error {
	from, ok := src.fs.(dfs.Attributer)
	to, ok2 := target.fs.(dfs.Attributer)
	if !ok || !ok2 {
		return nil
	}
	all, err := from.Attributes(s.ctx, src.path)
	if err != nil {
		return explain(src.shown, err)
	}
	for _, a := range all {
		if err := to.SetAttribute(s.ctx, target.path, a); err != nil {
			return fmt.Errorf("attribute %s: %w", a.Name, explain(target.shown, err))
		}
	}
	return nil
}

// copyAccessList copies the access control list of src to target, if src has one and both file
// systems support such lists.
func (s *shell) copyAccessList(src, target *item) error {
	from, ok := src.fs.(dfs.AccessLister)
	to, ok2 := target.fs.(dfs.AccessLister)
	if !ok || !ok2 || !src.info.AccessList {
		return nil
	}
	entries, err := from.AccessList(s.ctx, src.path)
	if err != nil {
		return explain(src.shown, err)
	}
	access, later := wholeList(src.info.Mode, entries)
	return explain(target.shown, to.SetAccessList(s.ctx, target.path, append(access, later...)))
}
