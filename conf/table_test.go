package conf

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableIsSortedAndUnambiguous(t *testing.T) {
	require.True(t, slices.IsSortedFunc(slices.Collect(table()), func(a, b *Key) int { return strings.Compare(a.Name, b.Name) }))
	seen := map[string]string{}
	for k := range table() {
		require.NotEmpty(t, k.Meaning, k.Name)
		require.NotEmpty(t, k.Range, k.Name)
		require.True(t, strings.HasSuffix(k.Meaning, "."), k.Name)
		for _, name := range append([]string{k.Name}, k.Old...) {
			require.Empty(t, seen[name], "%s is %s and %s", name, seen[name], k.Name)
			seen[name] = k.Name
			require.Equal(t, k.Name, Canonical(name))
		}
	}
	require.NoError(t, New().Check())
}

func TestDefaultsFitTheirRanges(t *testing.T) {
	limits := regexp.MustCompile(`(-?[0-9.]+) to ([0-9.]+)( |,|;|$)`)
	c := New()
	for k := range table() {
		m := limits.FindStringSubmatch(k.Range)
		if m == nil || k.Default == "" || strings.Contains(k.Range, k.Default+" or") {
			continue
		}
		var lo, hi float64
		fmt.Sscan(m[1], &lo)
		fmt.Sscan(m[2], &hi)
		_, err := c.Float(k.Name, 0, lo, hi)
		require.NoError(t, err)
	}
}

var quotedKey = regexp.MustCompile(`"((?:mapreduce|mapred|howdah|stream|ipc|io|fixedlengthinputformat|fs|dfs|net|num|hadoop|yarn)\.[A-Za-z][A-Za-z0-9_-]*(?:\.+[A-Za-z0-9_-]+)*|file\.bytes-per-checksum)"`)

// Every key that the code reads is in the table, and every key that the table calls implemented is read by the code.
func TestTableIsTheWholeTruth(t *testing.T) {
	read := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "../conf" || strings.HasPrefix(d.Name(), ".") && path != ".." || d.Name() == "testdata" || path == "../integration" || path == "../tools"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go"):
			return nil
		}
		b, err := os.ReadFile(path)
		for _, m := range quotedKey.FindAllStringSubmatch(string(b), -1) {
			read[m[1]] = path
		}
		return err
	})
	require.NoError(t, err)
	for name, path := range read {
		if k := Find(name); k == nil {
			t.Errorf("%s uses %s, which is not in the tables of conf", path, name)
		} else if k.State == NoMeaning && !strings.HasPrefix(path, "../client/yarn/") { // which sets keys for Hadoop
			t.Errorf("%s uses %s, which conf calls without meaning", path, name)
		}
	}
	for k := range table() {
		used := slices.ContainsFunc(append([]string{k.Name}, k.Old...), func(name string) bool { return read[name] != "" })
		if k.State == Implemented && !used && !strings.HasPrefix(k.Meaning, "Set for ") && k.Name != "hadoop.tmp.dir" {
			t.Errorf("conf calls %s implemented, but no code reads it", k.Name)
		}
	}
}
