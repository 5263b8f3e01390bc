package task

import (
	"regexp"

	"github.com/howdah/howdah/conf"
)

// KeyPreserve is part of the names of the settings that select attempts whose files a TaskTracker
// keeps for debugging.
const (
	KeyPreserve = "files.preserve" // part of the name that these keys share

)

// PreservePattern returns the pattern of mapreduce.task.files.preserve.filepattern, which matches whole
// attempt IDs. It returns nil if the setting is empty.
func PreservePattern(c *conf.Config) (*regexp.Regexp, error) {
	text := conf.TaskFilesPreserveFilePattern.Get(c)
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, c.Refuse(conf.TaskFilesPreserveFilePattern.Name, err)
	}
	return re, nil
}
