package local

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/process/processtest"
	"github.com/howdah/howdah/mrcluster/provision/provisiontest"
)

func TestContract(t *testing.T) {
	provisiontest.Run(t, provisiontest.Suite{
		Open: func(t *testing.T, o provision.Options) provision.Backend {
			b, err := New(o, cgroup.Config{Mount: t.TempDir(), Name: "tasktracker"})
			require.NoError(t, err)
			return b
		},
		Read: processtest.Read, Kill: processtest.Kill, Left: processtest.Left,
	})
}

func TestProgramThatIsNotThere(t *testing.T) {
	b, err := New(provision.Options{Dir: t.TempDir(), Agent: &provision.Agent{Program: "/nowhere/howdah"}},
		cgroup.Config{})
	require.NoError(t, err)
	require.ErrorIs(t, b.Start(t.Context(), "one"), os.ErrNotExist)
	require.NoError(t, provision.StopAll(t.Context(), b))
}
