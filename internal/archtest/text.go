package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The limits on line length, in characters. A tab counts as one character.
const (
	maxGoLine  = 120
	maxDocLine = 100
)

// text holds the violations of the text rules in the files below a folder. Each violation has the
// form "file:line: violation: advice".
type text struct{ goLines, scriptLines, docLines, idiom []string }

// script matches the names of scripts, Makefiles, and Dockerfiles.
var script = regexp.MustCompile(`\.(sh|ya?ml)$|(^|/)(Makefile|Dockerfile)$`)

// checkTexts checks all Go files, scripts, and Markdown files below root. It skips hidden folders, the
// bin folder, and Go files in testdata.
func checkTexts(root string) (*text, error) {
	found := new(text)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "bin" || name != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".md") && !script.MatchString(name):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".md") {
			found.docLines = append(found.docLines, longDocLines(name, string(src))...)
		} else if script.MatchString(name) {
			found.scriptLines = append(found.scriptLines, longScriptLines(name, string(src))...)
		} else if !strings.Contains(filepath.ToSlash(name), "testdata/") {
			return found.addGo(name, src)
		}
		return nil
	})
	return found, err
}

// addGo checks a Go file. It skips generated files.
func (found *text) addGo(name string, src []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(f) {
		return err
	}
	found.goLines = append(found.goLines, longGoLines(name, string(src))...)
	found.idiom = append(found.idiom, foreignDocs(fset, f)...)
	return nil
}

// longGoLines lists lines that are too long. It skips directives, because they cannot be wrapped.
func longGoLines(name, src string) []string {
	return longLines(name, src, func(l string) bool { return strings.HasPrefix(l, "//go:") })
}

// entry matches Makefile lines that contain a help text. Such lines cannot be wrapped.
var entry = regexp.MustCompile(`^[\w-]+:.*## `)

// longScriptLines is like longGoLines, for the files that script matches.
func longScriptLines(name, src string) []string { return longLines(name, src, entry.MatchString) }

func longLines(name, src string, skip func(line string) bool) (out []string) {
	no := 0
	for l := range strings.Lines(src) {
		no++
		if n := length(l); n > maxGoLine && !skip(l) {
			out = append(out, tooLong(name, no, n, maxGoLine))
		}
	}
	return out
}

func tooLong(name string, no, n, most int) string {
	return fmt.Sprintf("%s:%d: %d characters: break the line, at most %d are allowed", name, no, n, most)
}

func length(line string) int { return utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) }

// address matches link targets and URLs, which cannot be wrapped.
var address = regexp.MustCompile(`\]\([^)]*\)|\bhttps?://\S+`)

// longDocLines lists lines of prose that are too long. It skips tables and blocks of code or
// output, and does not count the characters that address matches.
func longDocLines(name, src string) (out []string) {
	fence, indented, blank, no := "", false, true, 0
	for l := range strings.Lines(src) {
		no++
		s := strings.TrimSpace(l)
		indented = s != "" && (strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "\t")) && (blank || indented)
		blank = s == ""
		switch {
		case fence != "":
			if strings.HasPrefix(s, fence) {
				fence = ""
			}
		case strings.HasPrefix(s, "```"), strings.HasPrefix(s, "~~~"):
			fence = s[:3]
		case indented, strings.HasPrefix(s, "|"):
		default:
			if n := length(address.ReplaceAllString(l, "")); n > maxDocLine {
				out = append(out, tooLong(name, no, n, maxDocLine))
			}
		}
	}
	return out
}

// idioms maps forbidden words at the start of a doc comment to Go's standard wording.
var idioms = map[string]string{"gives ": "returns", "tells whether ": "reports whether", "tells if ": "reports whether"}

// foreignDocs lists the doc comments of functions, methods, types, fields, variables, and constants in
// which a key of idioms follows the name.
func foreignDocs(fset *token.FileSet, f *ast.File) (out []string) {
	check := func(name string, doc *ast.CommentGroup) {
		text := strings.Join(strings.Fields(doc.Text()), " ")
		for foreign, idiom := range idioms {
			if rest, ok := strings.CutPrefix(text, name+" "); ok && strings.HasPrefix(rest, foreign) {
				out = append(out, fmt.Sprintf("%s: %s %s: say %q",
					fset.Position(doc.Pos()), name, strings.TrimSpace(foreign), idiom))
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			check(n.Name.Name, n.Doc)
		case *ast.GenDecl:
			for _, s := range n.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					check(s.Name.Name, n.Doc)
					check(s.Name.Name, s.Doc)
				case *ast.ValueSpec:
					check(s.Names[0].Name, n.Doc)
					check(s.Names[0].Name, s.Doc)
				}
			}
		case *ast.Field:
			if len(n.Names) > 0 {
				check(n.Names[0].Name, n.Doc)
			}
		}
		return true
	})
	return out
}
