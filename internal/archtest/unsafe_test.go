package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Only two places import unsafe: the sort buffer, which shares its memory between records and integers,
// and package heap, which allocates without clearing and returns pages. Generated protobuf code imports
// it, too. Files with any build tag and tests count.
func TestUnsafe(t *testing.T) {
	root := filepath.Join("..", "..")
	users := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, ".pb.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if i.Path.Value != `"unsafe"` {
				continue
			}
			users++
			if name != filepath.Join(root, "task/sortio/buffer.go") &&
				filepath.Dir(name) != filepath.Join(root, "internal/heap") {
				t.Errorf("%s imports unsafe, which can corrupt memory without a sign: use encoding/binary or slices", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if users == 0 {
		t.Error("no file imports unsafe: this test looks at the wrong directory, or needs no exception any more")
	}
}
