package main

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const generated = ".pb.go" // the end of the names of generated files

var getter = regexp.MustCompile(`\bGet[A-Z]\w*`)

// mentioned returns the names of getters that occur in the other Go files below root.
func mentioned(root string) (map[string]bool, error) {
	names := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, generated) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range getter.FindAll(text, -1) {
			names[string(name)] = true
		}
		return err
	})
	return names, err
}

// lean removes what nobody calls from a generated file: getters whose names are not in called, and
// the deprecated methods Descriptor with what only they need.
func lean(text string, called map[string]bool) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	var out strings.Builder
	kept := 0 // all before it is in out or removed
	remove := func(n ast.Node, doc *ast.CommentGroup) {
		start := n.Pos()
		if doc != nil {
			start = doc.Pos()
		}
		out.WriteString(text[kept:offset(start)])
		kept = offset(n.End()) + len("\n")
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			unused := getter.MatchString(name) && !called[name] || name == "Descriptor"
			if d.Recv != nil && unused || strings.HasSuffix(name, "_rawDescGZIP") {
				remove(d, d.Doc)
			}
		case *ast.GenDecl:
			switch first := d.Specs[0].(type) {
			case *ast.ImportSpec:
				for _, s := range d.Specs {
					if s.(*ast.ImportSpec).Path.Value == `"sync"` {
						remove(s, nil)
					}
				}
			case *ast.ValueSpec:
				if strings.HasSuffix(first.Names[0].Name, "_rawDescOnce") {
					remove(d, d.Doc)
				}
			}
		}
	}
	return format.Source([]byte(out.String() + text[kept:]))
}
