package serve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// A back end that there is not is refused, though the manager starts no nodes by it.
func TestBackEndIsRead(t *testing.T) {
	c := conf.New()
	m := Manager{Conf: c}
	_, _, err := m.backend()
	require.NoError(t, err)
	c.Set(KeyBackend, "moon", "test")
	for _, nodes := range []string{"0", "1"} {
		c.Set(daemon.KeyNodes, nodes, "test")
		_, _, err = m.backend()
		require.True(t, failure.Is(err, failure.Config), "%v", err)
	}
}
