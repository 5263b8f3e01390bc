package child

import (
	"os"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// restoreEnv sets the process's environment variables to exactly those in env.
func restoreEnv(env []string) {
	os.Clearenv()
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		os.Setenv(name, value)
	}
}

// setEnv sets the environment variables that the job specifies for its tasks of type t, as
// comma-separated NAME=value pairs. It replaces $NAME in a value with the current value of that
// variable.
func setEnv(c *conf.Config, t job.TaskType) {
	own := &conf.MapEnv // also for tasks that set up or clean up a job
	if t == job.Reduce {
		own = &conf.ReduceEnv
	}
	for _, key := range []*conf.List{&conf.ChildEnv, own} {
		for _, pair := range key.Get(c) {
			if name, value, ok := strings.Cut(pair, "="); ok {
				os.Setenv(strings.TrimSpace(name), os.ExpandEnv(value))
			}
		}
	}
}
