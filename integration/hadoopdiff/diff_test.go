//go:build integration

package hadoopdiff

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
)

var keep = flag.String("keep", "", "directory for scratch files, which stay there; a new one")

// newBench prepares both sides, or skips the test.
func newBench(t *testing.T) *Bench {
	t.Helper()
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	lib, err := apachehadoop.Jars(context.Background())
	require.NoError(t, err)
	dir := *keep
	if dir == "" {
		dir = t.TempDir()
	}
	b, err := NewBench(context.Background(), filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")), minicluster.Binary(t), lib, 2)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

func TestCases(t *testing.T) {
	b := newBench(t)
	t.Run("all", func(t *testing.T) {
		for _, c := range cases() {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				runCase(t, b, &c, 1)
			})
		}
	})
}

// runCase fails the test with each difference.
func runCase(t *testing.T, b *Bench, c *Case, seed uint64) {
	t.Helper()
	o, err := b.Run(c, seed)
	require.NoError(t, err)
	t.Logf("%v there, %v here", o.Theirs.Time, o.Ours.Time)
	for _, d := range o.Differences {
		t.Error(d)
	}
	if *keep == "" && !t.Failed() {
		_ = os.RemoveAll(o.Dir)
	}
}

func ExampleCase() {
	c := cases()[0]
	fmt.Println(strings.Join(c.ours(places{in: "IN", out: "OUT"}), " "))
	// Output: run wordcount IN OUT
}
