package mapreduce

import (
	"strings"

	"github.com/howdah/howdah/conf"
)

// Keys that file input formats read. Names and defaults are Hadoop's.
const (
	KeyInputDir      = "mapreduce.input.fileinputformat.inputdir"
	KeyRecursive     = "mapreduce.input.fileinputformat.input.dir.recursive"                   // false
	KeyIgnoreSubdirs = "mapreduce.input.fileinputformat.input.dir.nonrecursive.ignore.subdirs" // false
	KeyListThreads   = "mapreduce.input.fileinputformat.list-status.num-threads"               // directories listed at once, 1
	KeyMinSplit      = "mapreduce.input.fileinputformat.split.minsize"                         // bytes, 1
	KeyMaxSplit      = "mapreduce.input.fileinputformat.split.maxsize"                         // bytes, no limit
	KeyMaps          = "mapreduce.job.maps"                                                    // 2
)

// AddInputPaths adds input paths to a job's configuration: a comma-separated list of files, directories and globs. A comma
// inside braces belongs to the glob; `\,` is a comma inside a name.
func AddInputPaths(c *conf.Config, commaSeparated string) {
	all := []string{}
	if old := c.Get(KeyInputDir); old != "" {
		all = append(all, old)
	}
	for _, p := range splitList(commaSeparated, true) {
		all = append(all, escapePath(p))
	}
	c.Set(KeyInputDir, strings.Join(all, ","), "programmatically")
}

// SetInputPaths is AddInputPaths without what was there before.
func SetInputPaths(c *conf.Config, commaSeparated string) {
	c.Set(KeyInputDir, "", "programmatically")
	AddInputPaths(c, commaSeparated)
}

// InputPaths gives the input paths of a job's configuration.
func InputPaths(c *conf.Config) []string {
	paths := splitList(c.Get(KeyInputDir), false)
	for i, p := range paths {
		paths[i] = unescapePath(p)
	}
	return paths
}

// splitList cuts at commas that no backslash precedes and, if asked, no brace encloses. Empty elements are left out.
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

// escapePath protects commas and backslashes, as the configuration's value is a list.
func escapePath(p string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(p)
}

func unescapePath(p string) string {
	return strings.NewReplacer(`\\`, `\`, `\,`, `,`).Replace(p)
}
