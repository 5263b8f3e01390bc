package archtest

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestPurity(t *testing.T) {
	all, err := list("../..", "-deps", "-export", "./jobtracker/...", "./tasktracker/...", "./orchestrator/...",
		"./mrcluster/...", "./scheduler/...")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	imports := exports(fset, all)
	checked := 0
	for _, p := range all {
		if p.Standard || !pure(p.ImportPath) || len(p.GoFiles) == 0 {
			continue
		}
		checked++
		s, err := check(p.ImportPath, p.Dir, p.GoFiles, imports, fset)
		if err != nil {
			t.Errorf("%s: %v", p.ImportPath, err)
			continue
		}
		for _, v := range checkPurity(s) {
			t.Error(v)
		}
	}
	if checked < 2 {
		t.Fatalf("%d pure packages found: the list of folders is wrong", checked)
	}
}

// The purity rules report violations. Each file in testdata breaks rules exactly on the lines
// with a comment `want "text"`.
func TestPurityRulesBite(t *testing.T) {
	std, err := list(".", "-deps", "-export", "os", "net", "log", "log/slog", "sync", "sync/atomic", "context",
		"crypto/rand", "math/rand", "math/rand/v2", "time", "maps", "fmt", "runtime", "sort")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, f := range files {
		fset := token.NewFileSet()
		s, err := check("example", ".", []string{f}, exports(fset, std), fset)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		compareWant(t, f, checkPurity(s))
	}
}

var want = regexp.MustCompile(`want "([^"]+)"`)

// compareWant checks that a file has violations exactly on the lines with a comment `want "text"`.
func compareWant(t *testing.T, f string, violations []string) {
	t.Helper()
	found := map[string]string{}
	for _, v := range violations {
		line := strings.SplitN(v, ":", 3)
		found[line[1]] += v + "\n"
	}
	src, err := os.ReadFile(f)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(string(src), "\n") {
		no := strconv.Itoa(i + 1)
		m := want.FindStringSubmatch(l)
		switch {
		case m == nil && found[no] != "":
			t.Errorf("%s:%s: not expected: %s", f, no, found[no])
		case m != nil && !strings.Contains(found[no], m[1]):
			t.Errorf("%s:%s: got %q, want %q", f, no, found[no], m[1])
		}
	}
}
