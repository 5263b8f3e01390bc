//go:build integration

package apachehadoop

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The subtests share a cluster, because starting one takes much time.
func TestYARN(t *testing.T) {
	t.Parallel()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Minute)
	defer cancel()
	c, err := Start(ctx, filepath.Join(t.TempDir(), "cluster"), Options{YARN: true, History: true})
	require.NoError(t, err)
	defer c.Stop()
	t.Run("REST", func(t *testing.T) { testREST(ctx, t, c) }) // expects that no other job ran before
	t.Run("master", func(t *testing.T) { testMaster(ctx, t, c) })
	t.Run("programs", func(t *testing.T) { testPrograms(t, c) })
}
