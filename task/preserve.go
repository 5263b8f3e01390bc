package task

import (
	"regexp"

	"github.com/howdah/howdah/conf"
)

// The keys of attempts whose files a TaskTracker leaves where they are, for who looks for a fault.
const (
	KeyPreserve       = "files.preserve" // what they have in common
	KeyPreserveFailed = "mapreduce.task.files.preserve.failedtasks"

	keyPreservePattern = "mapreduce.task.files.preserve.filepattern"
)

// PreservePattern gives the pattern that matches the whole id of an attempt whose files stay; nil = none do.
func PreservePattern(c *conf.Config) (*regexp.Regexp, error) {
	text := c.Get(keyPreservePattern)
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, c.Refuse(keyPreservePattern, err)
	}
	return re, nil
}
