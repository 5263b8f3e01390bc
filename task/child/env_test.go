package child

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// A task gets the variables of all tasks and those of its type. Tasks that set up or clean up a job
// get those of maps.
func TestEnvironment(t *testing.T) {
	c := conf.New()
	c.Set(conf.ChildEnv.Name, "HOWDAH_TEST_ALL=1", "test")
	c.Set(conf.MapEnv.Name, "HOWDAH_TEST_OWN=map$HOWDAH_TEST_ALL", "test")
	c.Set(conf.ReduceEnv.Name, "HOWDAH_TEST_OWN=reduce", "test")
	for typ, want := range map[job.TaskType]string{
		job.Map: "map1", job.Reduce: "reduce", job.Setup: "map1", job.Cleanup: "map1",
	} {
		t.Setenv("HOWDAH_TEST_ALL", "")
		t.Setenv("HOWDAH_TEST_OWN", "")
		setEnv(c, typ)
		require.Equal(t, want, os.Getenv("HOWDAH_TEST_OWN"), typ)
	}
}
