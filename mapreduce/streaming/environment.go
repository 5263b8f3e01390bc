package streaming

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
)

// environment returns the environment of a command. It contains defaults for USER, LOGNAME, and
// HADOOP_CLIENT_OPTS; this process's variables; the whole configuration, including deprecated
// names; the -cmdenv variables; and TMPDIR and HADOOP_WORK_DIR. Later variables override earlier
// ones. In the name of a configuration key, _ replaces every byte other than a letter or digit.
// stream.jobconf.truncate.limit limits the length of the configuration's values.
func environment(c *conf.Config, workDir string) ([]string, error) {
	limit, err := conf.StreamJobConfTruncateLimit.Get(c)
	if err != nil {
		return nil, err
	}
	vars := map[string]string{"USER": passwd.Me(), "LOGNAME": passwd.Me(), "HADOOP_CLIENT_OPTS": ""}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	for _, p := range c.Properties(false) {
		value := strings.ReplaceAll(p.Value, "\x00", "")
		if limit >= 0 && int64(len(value)) > limit {
			value = value[:limit]
		}
		vars[variable(p.Name)] = value
		if k := conf.Find(p.Name); k != nil {
			for _, old := range strings.Fields(k.Old) {
				vars[variable(old)] = value
			}
		}
	}
	for pair := range strings.SplitSeq(conf.StreamAddEnvironment.Get(c), " ") {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			vars[name] = value
		}
	}
	vars["TMPDIR"] = filepath.Join(workDir, "tmp")
	vars["HADOOP_WORK_DIR"] = workDir
	out := make([]string, 0, len(vars))
	for name, value := range vars {
		out = append(out, name+"="+value)
	}
	return out, nil
}

// variable returns the name of the environment variable for the configuration key.
func variable(key string) string {
	b := []byte(key)
	for i, c := range b {
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			b[i] = '_'
		}
	}
	return string(b)
}
