package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// public lists the packages whose API is for programs outside the module.
var public = []string{".", "./client", "./mrcluster/client", "./mrcluster/status", "./job/...",
	"./conf", "./dfs", "./mapreduce", "./scheduler"}

// The page about versions lists the public packages.
func TestVersionsNamePublicPackages(t *testing.T) {
	page := readPage(t, "docs/reference/versions.md")
	for _, p := range public {
		name := strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/...")
		if p == "." {
			name = module
		}
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("docs/reference/versions.md has no row for the public package %s", name)
		}
	}
	if rows := strings.Count(page, "\n| `"); rows != len(public) {
		t.Errorf("docs/reference/versions.md has %d rows for %d public packages", rows, len(public))
	}
}

// The exported API of the public packages mentions only types that programs outside the module can
// name.
func TestAPIWithoutInternalTypes(t *testing.T) {
	targets, err := list("../..", public...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := list("../..", append([]string{"-deps", "-export"}, public...)...)
	if err != nil {
		t.Fatal(err)
	}
	imports := exports(token.NewFileSet(), all)
	for _, p := range targets {
		pkg, err := imports.Import(p.ImportPath)
		if err != nil {
			t.Errorf("%s: %v", p.ImportPath, err)
			continue
		}
		for _, why := range checkAPI(pkg) {
			t.Error(why)
		}
	}
	if len(targets) < len(public) {
		t.Fatalf("%d packages found", len(targets))
	}
}

// The rule reports violations.
func TestAPIRuleBites(t *testing.T) {
	const path = module + "/internal/hidden"
	hidden := types.NewPackage(path, "hidden")
	object := types.NewTypeName(token.NoPos, hidden, "T", nil)
	types.NewNamed(object, types.Typ[types.Int], nil)
	hidden.Scope().Insert(object)
	hidden.MarkComplete()
	for src, bites := range map[string]bool{
		"func F(hidden.T) {}":                             true,
		"func F() (int, []map[string]*hidden.T)":          true,
		"type S struct{ A struct{ B hidden.T } }":         true,
		"type s struct{}; func (s) M() hidden.T":          false,
		"type s struct{}; var V s; func (s) M() hidden.T": true,
		"type I interface{ M(func(hidden.T)) }":           true,
		"type A = hidden.T":                               true,
		"var V chan hidden.T":                             true,
		"type S struct{ a hidden.T }":                     false,
		"func f(hidden.T) {}":                             false,
		"func F() error":                                  false,
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "x.go", "package x\nimport \""+path+"\"\nvar _ hidden.T\n"+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		c := types.Config{Importer: importsOf{hidden}, Error: func(error) {}} // ignores missing function bodies
		p, _ := c.Check("example.com/x", fset, []*ast.File{f}, nil)
		got := checkAPI(p)
		if bites != (len(got) > 0 && strings.Contains(got[0], path+".T")) {
			t.Errorf("%s: %q", src, got)
		}
	}
}

// importsOf is an importer that always returns the same package.
type importsOf struct{ p *types.Package }

func (i importsOf) Import(string) (*types.Package, error) { return i.p, nil }
