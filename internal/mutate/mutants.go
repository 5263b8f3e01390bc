package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// mutant is a single change in one file of a package.
type mutant struct {
	name   string // PATH:FUNCTION: OLD -> NEW, independent of changes elsewhere in the file
	pos    string
	file   string // absolute path of the original file
	source []byte // content of the mutated file
}

// mutants returns every mutant of packages that have tests. A mutant negates a condition, replaces
// a comparison or operator, swaps min and max, drops an assignment, or reverses an increment.
func mutants(ctx context.Context, patterns []string) ([]mutant, error) {
	const files = `{{if or .TestGoFiles .XTestGoFiles}}{{$p := .}}{{range .GoFiles}}{{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`
	list, err := exec.CommandContext(ctx, "go", append([]string{"list", "-f", files}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err)
	}
	var out []mutant
	for _, f := range strings.Fields(string(list)) {
		ms, err := fileMutants(f)
		if err != nil {
			return nil, err
		}
		out = append(out, ms...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no condition or assignment in %s", strings.Join(patterns, " "))
	}
	return out, nil
}

func fileMutants(path string) ([]mutant, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	v := visitor{fset: fset, src: src, path: path, name: filepath.ToSlash(name)}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			v.fn = fn.Name.Name
			ast.Inspect(fn.Body, v.visit)
		}
	}
	return v.out, nil
}

// swaps maps each operator to the operator that a program with a boundary or logic error would use
// instead.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
}

type visitor struct {
	fset           *token.FileSet
	src            []byte
	path, name, fn string
	out            []mutant
}

func (v *visitor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		v.replace(n.Cond, "!("+v.text(n.Cond)+")")
	case *ast.BinaryExpr:
		if op, ok := swaps[n.Op]; ok {
			v.replace(n, v.text(n.X)+" "+op.String()+" "+v.text(n.Y))
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "min" {
			v.replace(n, "max"+v.text(n)[3:])
		} else if ok && f.Name == "max" {
			v.replace(n, "min"+v.text(n)[3:])
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

// assignment adds a mutant that drops an assignment. The mutant still evaluates the right side,
// because it would not compile with unused variables or imports. assignment ignores := declarations
// and multiple assignments.
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
		name: fmt.Sprintf("%s:%s: %s -> %s", v.name, v.fn, oneLine(v.text(n)), oneLine(with)),
		pos:  v.fset.Position(n.Pos()).String(), file: v.path, source: source,
	})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
