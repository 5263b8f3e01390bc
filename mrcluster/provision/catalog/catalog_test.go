package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
)

func TestOpen(t *testing.T) {
	require.Contains(t, Names(), Default)
	_, err := Open("", conf.New(), provision.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	_, err = Open("moon", conf.New(), provision.Options{Dir: t.TempDir()})
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "local")
}
