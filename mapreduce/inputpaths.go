package mapreduce

import (
	"strings"

	"github.com/howdah/howdah/conf"
)

// AddInputPaths adds a comma-separated list of files, directories, and globs to a job's input
// paths. A comma inside braces is part of a glob. A comma in a name must be written as `\,`.
func AddInputPaths(c *conf.Config, commaSeparated string) {
	all := []string{}
	if old := c.Get(conf.InputFileInputFormatInputDir.Name); old != "" {
		all = append(all, old)
	}
	for _, p := range splitList(commaSeparated, true) {
		all = append(all, escapePath(p))
	}
	c.Set(conf.InputFileInputFormatInputDir.Name, strings.Join(all, ","), "programmatically")
}

// SetInputPaths replaces the input paths of a job's configuration; see AddInputPaths.
func SetInputPaths(c *conf.Config, commaSeparated string) {
	c.Set(conf.InputFileInputFormatInputDir.Name, "", "programmatically")
	AddInputPaths(c, commaSeparated)
}

// InputPaths returns the input paths of a job's configuration.
func InputPaths(c *conf.Config) []string {
	paths := splitList(c.Get(conf.InputFileInputFormatInputDir.Name), false)
	for i, p := range paths {
		paths[i] = unescapePath(p)
	}
	return paths
}

// splitList splits s at commas, trims white space, and drops empty elements. It does not split at a
// comma after a backslash or, with braces set, inside braces.
func splitList(s string, braces bool) []string {
	var out []string
	add := func(p string) {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	start, depth := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case ',':
			if !braces || depth == 0 {
				add(s[start:i])
				start = i + 1
			}
		}
	}
	add(s[start:])
	return out
}

// escapePath escapes commas and backslashes in a path, because the configuration value is a list.
func escapePath(p string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(p)
}

func unescapePath(p string) string {
	return strings.NewReplacer(`\\`, `\`, `\,`, `,`).Replace(p)
}
