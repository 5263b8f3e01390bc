package catalog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
)

// MaxFile is the largest file, in bytes, that a policy is configured by.
const MaxFile = 4 << 20

// Load gathers what the policy of a name is made from: the configuration and the policy's files. A file that is named without
// a directory lies in the configuration directory. One that somebody named must exist; one that only the default names may be
// missing. Settings of other policies are checked, too, as far as the table of keys tells what is right: whoever changes the
// policy of a running JobTracker shall not find them wrong then. Errors are of kind Config.
func (t Table) Load(name string, c *conf.Config) (scheduler.Setup, error) {
	e, err := t.find(name, c)
	if err != nil {
		return scheduler.Setup{}, err
	}
	if err := c.CheckRanges("howdah.", "mapred.fairscheduler.", "mapred.capacity-scheduler."); err != nil {
		return scheduler.Setup{}, err
	}
	s := scheduler.Setup{Conf: c}
	for _, key := range e.Files {
		f, err := readFile(c, key)
		if err != nil {
			return scheduler.Setup{}, err
		}
		s.Files = append(s.Files, f)
	}
	return s, nil
}

// Open loads and makes the policy of a name and gives its short name.
func (t Table) Open(name string, c *conf.Config) (scheduler.Policy, string, error) {
	s, err := t.Load(name, c)
	if err != nil {
		return nil, "", err
	}
	return t.Make(name, s)
}

// FilePath gives the path of the file that a key names; named tells whether somebody set the key. "" = there is no such file.
func FilePath(c *conf.Config, key string) (path string, named bool) {
	path = c.Get(key)
	if path = strings.TrimPrefix(strings.TrimSpace(path), "file://"); path == "" {
		return "", false
	}
	named = !c.IsDefault(key)
	switch {
	case filepath.IsAbs(path):
	case c.Dir() != "":
		path = filepath.Join(c.Dir(), path)
	case !named:
		return "", false // without a configuration directory there is no place to look
	}
	return path, named
}

func readFile(c *conf.Config, key string) (scheduler.File, error) {
	path, named := FilePath(c, key)
	if path == "" {
		return scheduler.File{Key: key}, nil
	}
	b, err := readLimited(path)
	if errors.Is(err, os.ErrNotExist) && !named {
		return scheduler.File{Key: key, Path: path}, nil
	}
	if err != nil {
		return scheduler.File{}, c.Refuse(key, fmt.Errorf("read %s: %w", path, err)).Fix("name a file that the JobTracker can read, or unset " + key)
	}
	return scheduler.File{Key: key, Path: path, Data: b}, nil
}

// readLimited reads a regular file of at most MaxFile bytes. Its bytes are never nil.
func readLimited(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(b) > MaxFile {
		err = fmt.Errorf("it is larger than %d bytes", MaxFile)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}
