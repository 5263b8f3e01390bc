package fs

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/dfs"
)

// expression is a test or an action of -find. It reports whether an item matches, and may print
// the item.
type expression func(s *shell, i *item) bool

func findFiles(s *shell, _ options, args []string) error {
	roots, test, err := parseFind(args)
	if err != nil {
		return err
	}
	s.each(roots, func(i *item) error {
		return s.visit(i, test)
	})
	return nil
}

// visit calls test for i and all items below it. It does not follow symbolic links.
func (s *shell) visit(i *item, test expression) error {
	test(s, i)
	if !i.dir() || i.info.Link {
		return nil
	}
	entries, err := s.list(i)
	for _, e := range entries {
		if s.stop() {
			return nil
		}
		if err := s.visit(e, test); err != nil {
			s.report(err)
		}
	}
	return err
}

// parseFind separates the paths from the expression. The returned function evaluates the parts of
// the expression from left to right until one does not match. If no part prints, the function
// prints the items that match.
func parseFind(args []string) (roots []string, all expression, err error) {
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	var parts []expression
	prints := false
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch word {
		case "-a", "-and":
			if len(parts) == 0 || len(args) == 0 {
				return nil, nil, usagef("%s needs an expression before and after it", word)
			}
		case "-print":
			prints = true
			parts = append(parts, printWith("\n"))
		case "-print0":
			prints = true
			parts = append(parts, printWith("\x00"))
		case "-name", "-iname":
			if len(args) == 0 {
				return nil, nil, usagef("%s needs a pattern", word)
			}
			p, err := nameMatches(args[0], word == "-iname")
			if err != nil {
				return nil, nil, err
			}
			parts, args = append(parts, p), args[1:]
		default:
			return nil, nil, fmt.Errorf("Unexpected argument: %s", word)
		}
	}
	if !prints {
		parts = append(parts, printWith("\n"))
	}
	return roots, func(s *shell, i *item) bool {
		for _, p := range parts {
			if !p(s, i) {
				return false
			}
		}
		return true
	}, nil
}

func printWith(end string) expression {
	return func(s *shell, i *item) bool {
		s.printf("%s%s", i.shown, end)
		return true
	}
}

func nameMatches(pattern string, anyCase bool) (expression, error) {
	fold := func(s string) string { return s }
	if anyCase {
		fold = strings.ToLower
	}
	pattern = fold(pattern)
	if _, err := dfs.Match(pattern, ""); err != nil {
		return nil, explain(pattern, err)
	}
	return func(_ *shell, i *item) bool {
		ok, _ := dfs.Match(pattern, fold(i.name()))
		return ok
	}, nil
}
