package archtest

import (
	"go/token"
	"strings"
	"testing"
)

// Code reads keys of the configuration with their declarations in conf.
func TestKeysAreDeclaredOnce(t *testing.T) {
	all, err := list("../..", "-deps", "-export", "./...")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	imports := exports(fset, all)
	checked := 0
	for _, p := range all {
		path := p.ImportPath
		if !strings.HasPrefix(path, module) || within(path, "conf") || within(path, "docs") || within(path, "integration") {
			continue
		}
		checked++
		s, err := check(path, p.Dir, p.GoFiles, imports, fset)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, v := range checkKeys(s) {
			t.Error(v)
		}
	}
	if checked < 50 {
		t.Fatalf("%d packages found: the list is wrong", checked)
	}
}

// The rule for keys reports the lines of testdata/keys that have a comment `want "text"`.
func TestKeyRuleBites(t *testing.T) {
	all, err := list("../..", "-deps", "-export", "./conf")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	const file = "testdata/keys/getters.go"
	s, err := check("example", ".", []string{file}, exports(fset, all), fset)
	if err != nil {
		t.Fatal(err)
	}
	compareWant(t, file, checkKeys(s))
}
