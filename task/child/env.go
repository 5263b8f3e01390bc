package child

import (
	"os"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// setEnv sets the variables that the job wants for its tasks: NAME=value pairs, comma-separated. $NAME in a value stands for
// the variable as it is.
func setEnv(c *conf.Config, t job.TaskType) {
	keys := []string{"mapred.child.env", "mapreduce.map.env"}
	if t == job.Reduce {
		keys[1] = "mapreduce.reduce.env"
	}
	for _, key := range keys {
		for _, pair := range c.Strings(key) {
			if name, value, ok := strings.Cut(pair, "="); ok {
				os.Setenv(strings.TrimSpace(name), os.ExpandEnv(value))
			}
		}
	}
}
