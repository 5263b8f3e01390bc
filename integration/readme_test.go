//go:build integration

package integration

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The quick start of README.md works as printed.
func TestQuickStart(t *testing.T) {
	require.NoError(t, os.RemoveAll("/tmp/howdah")) // where the quick start works
	minicluster.Transcript(t, "sh")
}
