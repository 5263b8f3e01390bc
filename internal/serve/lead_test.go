package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

func TestMasterConf(t *testing.T) {
	m, err := masterConf(conf.New(), nil)
	require.NoError(t, err)
	require.Equal(t, time.Second, m.Every)
	require.Equal(t, time.Minute, m.OutputsWait)
	for _, key := range []string{"howdah.mrcluster.sample.ms", "howdah.mrcluster.outputs.wait.ms"} {
		c := conf.New()
		c.Set(key, "0", "test")
		_, err := masterConf(c, nil)
		require.ErrorContains(t, err, key)
	}
}
