package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The folders of code that removes trees in which users can write.
var removers = []string{"dfs", "internal/distcache", "internal/serve", "jobtracker", "mapreduce/local", "mrcluster",
	"tasktracker"}

var removeAll = regexp.MustCompile(`\b(os|[rR]oot)\.RemoveAll\(`)

// Daemons remove trees with package owned. Users could use up a daemon's descriptors otherwise.
func TestRemoveAll(t *testing.T) {
	files := 0
	for _, dir := range removers {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			files++
			src, err := os.ReadFile(name)
			if removeAll.Match(src) {
				t.Errorf("%s: os.RemoveAll opens a file at each level of a tree: use owned.RemoveAll", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Fatalf("%d files found: the list of folders is wrong", files)
	}
	for _, line := range []string{"_ = os.RemoveAll(dir)", "return t.Root.RemoveAll(name)", "root.RemoveAll(name)"} {
		if !removeAll.MatchString(line) {
			t.Errorf("%q is not found", line)
		}
	}
}
