//go:build integration

package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The commands of README.md's quick start work as printed.
func TestQuickStart(t *testing.T) {
	require.NoError(t, os.RemoveAll("/tmp/howdah")) // directory of the quick start
	minicluster.Transcript(t, "README.md", "sh")
}

// The commands of the tutorial work as printed.
func TestTutorial(t *testing.T) {
	require.NoError(t, os.RemoveAll("/tmp/index")) // directory of the tutorial
	minicluster.Transcript(t, "docs/tutorial.md", "sh")
}

// The examples of the REST interface work as printed.
func TestRESTPage(t *testing.T) {
	for _, program := range []string{"curl", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	require.NoError(t, os.RemoveAll("/tmp/rest")) // directory of the page
	minicluster.Transcript(t, "docs/reference/rest.md", "sh")
}

// The commands of the how-tos work as printed, except those in blocks with the fence "sh by-hand".
func TestHowTos(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() { os.Remove("../DHF-4.html") }) // repeat-a-figure.md writes it
	pages, err := filepath.Glob("../docs/howto/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		if strings.Contains(string(text), "\n```sh\n") {
			t.Run(filepath.Base(page), func(t *testing.T) {
				for _, dir := range []string{"/tmp/manage", "/tmp/policy", "/tmp/pool", "/tmp/sim", "/tmp/store",
					"/tmp/streaming"} {
					require.NoError(t, os.RemoveAll(dir)) // directories of the how-tos
				}
				minicluster.Transcript(t, "docs/howto/"+filepath.Base(page), "sh")
			})
		}
	}
}
