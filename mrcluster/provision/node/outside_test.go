package node

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mrcluster"
)

// TestForgetsWhatIsOutside checks that directories on shared storage are removed with the
// deployment, even if another Node created them. It also checks that a failed removal does not
// block the node.
func TestForgetsWhatIsOutside(t *testing.T) {
	c := conf.New()
	c.Set(conf.JobTrackerSystemDir.Name, "hdfs://other/system", "test")
	c.Set(conf.JobTrackerStagingRootDir.Name, "hdfs://other/staging", "test")
	dir := t.TempDir()
	forgotten := make(chan string, 10)
	start := func() *Node {
		n, err := New(Config{Dir: dir, Name: "a", Program: self(t), Conf: c,
			Forget: func(_ context.Context, dir string) error {
				forgotten <- dir
				return errors.New("it is away")
			}})
		require.NoError(t, err)
		return n
	}
	n := start()
	n.Apply(master("c", 3))
	awaitUp(t, n)
	n.Stop()
	require.Empty(t, forgotten)

	n = start()
	defer n.Stop()
	n.Apply(mrcluster.Desired{})
	await(t, "nothing is left", func() bool { return len(n.Runs()) == 0 })
	require.Equal(t, "hdfs://other/system/c-3", <-forgotten)
	require.Equal(t, "hdfs://other/staging/c-3", <-forgotten)
	require.Empty(t, forgotten)
}
