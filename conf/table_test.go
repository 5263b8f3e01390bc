package conf

import (
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
	for _, part := range lists() {
		require.True(t, slices.IsSortedFunc(part,
			func(a, b declared) int { return strings.Compare(a.key().Name, b.key().Name) }))
	}
	require.True(t, slices.IsSortedFunc(idleKeys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) }))
	seen := map[string]string{}
	for k := range table() {
		require.NotEmpty(t, k.Meaning, k.Name)
		require.True(t, strings.HasSuffix(k.Meaning, "."), k.Name)
		for _, name := range append(strings.Fields(k.Old), k.Name) {
			require.Empty(t, seen[name], "%s is %s and %s", name, seen[name], k.Name)
			seen[name] = k.Name
			require.Equal(t, k.Name, Canonical(name))
		}
	}
	require.NoError(t, New().Check())
}

func TestDefaultsFitTheirRanges(t *testing.T) {
	c := New()
	for _, part := range lists() {
		for _, k := range part {
			lo, hi := k.key().span() // Get below panics if the range does not parse
			var err error
			switch k := k.(type) {
			case *Bool:
				_, err = k.Get(c)
			case *Choice:
				require.Contains(t, k.Range, ", ")
				_, err = k.Get(c)
			case *Memory:
				_, err = k.Get(c)
			case *Size:
				_, err = k.Get(c)
			case *Duration:
				_, err = k.Get(c)
			case *Float:
				require.True(t, lo != "" && hi != "", k.Name)
				_, err = k.Get(c)
			case *Int:
				require.True(t, lo != "" || k.Range == "number", k.Name)
				_, err = k.Get(c)
			}
			require.NoError(t, err)
		}
	}
}

// handles returns the keys that the files of the tables declare, by Go name.
func handles(t *testing.T) map[string]string {
	found := map[string]string{}
	files, err := filepath.Glob("table*.go")
	require.NoError(t, err)
	row := regexp.MustCompile(`(?m)^\t(\w+) += (?:Int|Float|Bool|Size|Duration|Memory|Choice|Text|List)\{\s*"([^"]+)"`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range row.FindAllStringSubmatch(string(b), -1) {
			found[m[1]] = m[2]
		}
	}
	return found
}

var (
	quotedKey = regexp.MustCompile(
		`"((?:mapreduce|mapred|howdah|stream|ipc|io|fixedlengthinputformat|textinputformat|fs|dfs|net|num|hadoop|yarn` +
			`|distcp|test)\.[A-Za-z][A-Za-z0-9_-]*(?:\.+[A-Za-z0-9_-]+)*|file\.bytes-per-checksum)"`)
	handle    = regexp.MustCompile(`\bconf\.([A-Z]\w*)`)
	namedKey  = regexp.MustCompile(`(?m)^\s*(?:const )?(\w+)\s*= "([^"]+)"`)
	restating = regexp.MustCompile(`(?:\.(?:Int|Float|Bool|Size|Duration)\(("[^"]+"|\w*[kK]ey\w+)[,)]|` +
		`\(("[^"]+"), (?:-?\d|time\.|math\.))`)
)

// excepted lists directories whose code reads the settings of a trace's jobs, which are not
// configuration.
var excepted = []string{"../simulator/"}

// TestTableIsTheWholeTruth checks three rules. The table has every key that the code reads. The
// code reads every key that the table calls implemented. Code that reads a key leaves default and
// bounds to the table.
func TestTableIsTheWholeTruth(t *testing.T) {
	declarations := handles(t)
	for name, key := range declarations {
		require.NotNil(t, Find(key), "%s is in none of the lists of declarations", name)
	}
	read := map[string]string{}
	names, sources := map[string]string{}, map[string]string{} // values of constants, by path; texts, by file
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "../conf" || strings.HasPrefix(d.Name(), ".") && path != ".." || d.Name() == "testdata" ||
			path == "../integration" || path == "../build"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go"):
			return nil
		}
		b, err := os.ReadFile(path)
		sources[path] = string(b)
		for _, m := range quotedKey.FindAllStringSubmatch(string(b), -1) {
			read[m[1]] = path
		}
		for _, m := range handle.FindAllStringSubmatch(string(b), -1) {
			if key, ok := declarations[m[1]]; ok {
				read[key] = path
			}
		}
		for _, m := range namedKey.FindAllStringSubmatch(string(b), -1) {
			names[filepath.Join(filepath.Dir(path), m[1])] = m[2]
		}
		return err
	})
	require.NoError(t, err)
	for path, source := range sources {
		for _, m := range restating.FindAllStringSubmatch(source, -1) {
			key, quoted := strings.CutPrefix(strings.TrimSuffix(m[1]+m[2], `"`), `"`)
			if !quoted {
				key = names[filepath.Join(filepath.Dir(path), key)]
			}
			spared := slices.ContainsFunc(excepted, func(folder string) bool { return strings.HasPrefix(path, folder) })
			if Find(key) != nil && !spared {
				t.Errorf("%s has %s: read the key by its declaration", path, m[0])
			}
		}
	}
	for name, path := range read {
		if k := Find(name); k == nil {
			t.Errorf("%s uses %s, which is not in the tables of conf", path, name)
		} else if k.State() == NoMeaning && !strings.HasPrefix(path, "../client/yarn/") { // that package sets keys for Hadoop
			t.Errorf("%s uses %s, which conf calls without meaning", path, name)
		}
	}
	for k := range table() {
		used := slices.ContainsFunc(append(strings.Fields(k.Old), k.Name), func(name string) bool { return read[name] != "" })
		if k.State() == Implemented && !used && !strings.HasPrefix(k.Meaning, "Set for ") && k.Name != "hadoop.tmp.dir" {
			t.Errorf("conf calls %s implemented, but no code reads it", k.Name)
		}
	}
}
