package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// pkg is the part of `go list`'s report about a package that the rules use.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Export       string // file with the types of the package's exported names
	Standard     bool
}

// list runs `go list` in dir and returns its report about each package.
func list(dir string, args ...string) ([]*pkg, error) { return listFor(runtime.GOOS, dir, args...) }

// systems are the operating systems for which rules about imports hold. Each has files of its own.
var systems = []string{"linux", "darwin"}

// listFor is like list, for an operating system.
func listFor(goos, dir string, args ...string) ([]*pkg, error) {
	cmd := exec.Command("go", append([]string{"list", "-e",
		"-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports,Export,Standard"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+goos)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	var pkgs []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
}

// exports returns an importer of compiled packages. The importer reads their export data from Go's
// build cache.
func exports(fset *token.FileSet, pkgs []*pkg) types.Importer {
	files := map[string]string{}
	for _, p := range pkgs {
		files[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("no compiled package %s: it does not build", path)
		}
		return os.Open(files[path])
	})
}

// source is a package's syntax and the types of its expressions.
type source struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// check parses and type-checks the files of a package.
func check(path, dir string, names []string, imports types.Importer, fset *token.FileSet) (*source, error) {
	s := &source{fset: fset, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}}
	for _, n := range names {
		f, err := parser.ParseFile(fset, filepath.Join(dir, n), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	_, err := (&types.Config{Importer: imports}).Check(path, fset, s.files, s.info)
	return s, err
}
