package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

const fileKey = "test.file"

// Load rejects a number out of range if any policy reads the key, but not if only an application
// does.
func TestLoadChecksPoliciesKeys(t *testing.T) {
	c := conf.New()
	c.Set("howdah.dfsio.files", "0", "mapred-site.xml:7")
	_, err := Builtin().Load("fifo", c)
	require.NoError(t, err)
	c.Set("howdah.dhfs.percentageOfBorrowedMapSlots", "101", "mapred-site.xml:8")
	_, err = Builtin().Load("fifo", c)
	require.ErrorContains(t, err, "mapred-site.xml:8")
}

func tableWithFile(t *testing.T) Table {
	table, err := Builtin().With(Entry{Name: "filed", Files: []string{fileKey}, New: fifo.New})
	require.NoError(t, err)
	return table
}

// load calls Load for a policy with one file. It uses the configuration directory dir and the settings
// in set, and returns the file.
func load(t *testing.T, dir string, set ...conf.Property) (scheduler.File, error) {
	c, err := conf.GenericOptions{ConfigDir: dir, Set: set}.Load()
	require.NoError(t, err)
	s, err := tableWithFile(t).Load("filed", c)
	return s.File(fileKey), err
}

func TestFilesOfThePolicy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "own.xml")
	require.NoError(t, os.WriteFile(path, []byte("<x/>"), 0o600))

	f, err := load(t, dir)
	require.NoError(t, err)
	require.Equal(t, scheduler.File{Key: fileKey}, f, "nobody named one")
	for _, name := range []string{"own.xml", path, "file://" + path} {
		f, err = load(t, dir, conf.Property{Name: fileKey, Value: name, Source: "-D"})
		require.NoError(t, err)
		require.Equal(t, scheduler.File{Key: fileKey, Path: path, Data: []byte("<x/>")}, f)
	}
}

func TestFileOfTheDefaultMayBeMissing(t *testing.T) {
	dir := t.TempDir()
	f, err := load(t, dir, conf.Property{Name: fileKey, Value: "own.xml", Source: "mapred-default.xml"})
	require.NoError(t, err)
	require.Equal(t, scheduler.File{Key: fileKey, Path: filepath.Join(dir, "own.xml")}, f)
	require.NoError(t, os.WriteFile(f.Path, nil, 0o600))
	f, err = load(t, dir, conf.Property{Name: fileKey, Value: "own.xml", Source: "mapred-default.xml"})
	require.NoError(t, err)
	require.NotNil(t, f.Data, "an empty file is a file")
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "large"), []byte(strings.Repeat("x", MaxFile+1)), 0o600))
	for name, why := range map[string]string{"none": "no such file", "large": "larger than", dir: "not a regular file"} {
		_, err := load(t, dir, conf.Property{Name: fileKey, Value: name, Source: "-D"})
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, fileKey)
		require.True(t, failure.Is(err, failure.Config))
	}
	require.NoError(t, os.Truncate(filepath.Join(dir, "large"), MaxFile))
	f, err := load(t, dir, conf.Property{Name: fileKey, Value: "large", Source: "-D"})
	require.NoError(t, err, "not larger than the maximum")
	require.Len(t, f.Data, MaxFile)
}

func TestOpen(t *testing.T) {
	p, name, err := tableWithFile(t).Open("FILED", conf.New())
	require.NoError(t, err)
	require.Equal(t, "filed", name)
	require.IsType(t, &fifo.Policy{}, p)
	_, _, err = tableWithFile(t).Open("nobody", conf.New())
	require.True(t, failure.Is(err, failure.Config))
}
