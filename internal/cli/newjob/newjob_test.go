package newjob

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestSources(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	other := t.TempDir()
	for _, c := range []struct {
		chosen, program, version string
		want                     Source
	}{
		{"", root + "/bin/howdah", "v1.2.3", Source{Dir: root}},
		{"", other + "/howdah", "v1.2.3", Source{Version: "v1.2.3"}},
		{"", other + "/howdah", "v1.2.3-rc.1", Source{Version: "v1.2.3-rc.1"}},
		{"", other + "/howdah", "v0.0.0-20261128035500-b02c65864239", Source{Version: "v0.0.0-20261128035500-b02c65864239"}},
		{"../../..", other + "/howdah", "v1.2.3", Source{Dir: root}},
		{"v2.0.0", root + "/bin/howdah", "v1.2.3", Source{Version: "v2.0.0"}},
	} {
		got, err := Choose(c.chosen, c.program, c.version)
		require.NoError(t, err, c)
		require.Equal(t, c.want, got, c)
	}
	for _, version := range []string{"devel", "b02c6586", "v1.2.3-4-gb02c6586", "v1.2.3-dirty", "v1.2.3+dirty"} {
		_, err := Choose("", other+"/howdah", version)
		require.True(t, failure.Is(err, failure.Usage), version)
		require.ErrorContains(t, err, "name a checkout or a version with --howdah")
	}
	for _, chosen := range []string{other, "latest", other + "/none"} {
		_, err := Choose(chosen, root+"/bin/howdah", "v1.2.3")
		require.True(t, failure.Is(err, failure.Usage), chosen)
	}
}

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "page-hits")
	require.NoError(t, Create(dir, Source{Dir: "/code/how dah"}))
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(b)
	}
	require.Equal(t, "module example.com/page-hits\n\ngo "+goVersion+"\n\nrequire github.com/howdah/howdah "+
		"v0.0.0-00010101000000-000000000000\n\nreplace github.com/howdah/howdah => \"/code/how dah\"\n", read("go.mod"))
	require.Contains(t, read("main.go"), `"page-hits",`)
	require.Contains(t, read("Makefile"), "\npage-hits: $(wildcard *.go)")
	require.Equal(t, "/page-hits\n", read(".gitignore"))
	require.Contains(t, read("main_test.go"), "func TestJob")
	require.NotContains(t, read("main.go")+read("main_test.go")+read("Makefile"), templateName)

	require.True(t, failure.Is(Create(dir, Source{Version: "v1.2.3"}), failure.Exists))
	for _, name := range []string{"1job", "Job", "my job", ".."} {
		require.True(t, failure.Is(Create(filepath.Join(t.TempDir(), name), Source{}), failure.Usage), name)
	}
	empty := filepath.Join(t.TempDir(), "b")
	require.NoError(t, os.Mkdir(empty, 0o777))
	require.NoError(t, Create(empty, Source{Version: "v1.2.3"}))
	mod, err := os.ReadFile(filepath.Join(empty, "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(mod), "\nrequire github.com/howdah/howdah v1.2.3\n")
	require.NotContains(t, string(mod), "replace")
	own, err := os.ReadFile("../../../go.mod")
	require.NoError(t, err)
	require.Contains(t, string(own), "\ngo "+goVersion+"\n")
}
