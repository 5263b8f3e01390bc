package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one change to one file of a package.
type mutant struct {
	name   string // FILE:FUNCTION: OLD -> NEW, stable against changes elsewhere in the file
	pos    string
	file   string // absolute path of the file it replaces
	source []byte // the whole changed file
}

// mutants lists every mutant of the package's own files (no tests): conditions negated, comparisons and logical operators
// swapped, assignments dropped, increments reversed.
func mutants(pkg string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		ms, err := fileMutants(f)
		if err != nil {
			return nil, err
		}
		out = append(out, ms...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no condition or assignment in %s", pkg)
	}
	return out, nil
}

func fileMutants(path string) ([]mutant, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	v := visitor{fset: fset, src: src, path: path, abs: abs}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			v.fn = fn.Name.Name
			ast.Inspect(fn.Body, v.visit)
		}
	}
	return v.out, nil
}

// swaps gives the operator that a boundary or logic mistake would put in another's place.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
}

type visitor struct {
	fset          *token.FileSet
	src           []byte
	path, abs, fn string
	out           []mutant
}

func (v *visitor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		v.replace(n.Cond, "!("+v.text(n.Cond)+")")
	case *ast.BinaryExpr:
		if op, ok := swaps[n.Op]; ok {
			v.replace(n, v.text(n.X)+" "+op.String()+" "+v.text(n.Y))
		}
	case *ast.AssignStmt:
		v.assignment(n)
	case *ast.IncDecStmt:
		op := "--"
		if n.Tok == token.DEC {
			op = "++"
		}
		v.replace(n, v.text(n.X)+op)
	}
	return true
}

// assignment drops an assignment but keeps evaluating both sides, so that the mutant compiles. A := that declares cannot be
// dropped.
func (v *visitor) assignment(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
		return
	}
	if id, ok := n.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
		return
	}
	v.replace(n, "_ = "+v.text(n.Rhs[0]))
}

func (v *visitor) text(n ast.Node) string {
	return string(v.src[v.offset(n.Pos()):v.offset(n.End())])
}

func (v *visitor) offset(p token.Pos) int { return v.fset.Position(p).Offset }

func (v *visitor) replace(n ast.Node, with string) {
	from, to := v.offset(n.Pos()), v.offset(n.End())
	source := append(append(append([]byte(nil), v.src[:from]...), with...), v.src[to:]...)
	v.out = append(v.out, mutant{
		name: fmt.Sprintf("%s:%s: %s -> %s", filepath.Base(v.path), v.fn, oneLine(v.text(n)), oneLine(with)),
		pos:  v.fset.Position(n.Pos()).String(), file: v.abs, source: source,
	})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
