package catalog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
)

// MaxFile is the maximum size of a policy's configuration file, in bytes.
const MaxFile = 4 << 20

// keyPrefixes are the prefixes of keys that only policies and speculators use. The JobTracker's
// configuration can also contain keys of other programs, such as applications. Load does not check
// those keys.
var keyPrefixes = []string{"howdah.adaptive.", "howdah.capacity.", "howdah.container.", "howdah.dhfs.", "howdah.drf.",
	"howdah.edf.", "howdah.fifo.", "howdah.job.demand.", "howdah.map.patience.", "howdah.speculation.",
	"mapred.capacity-scheduler.", "mapred.fairscheduler."}

// Concerns reports whether only policies and speculators use the configuration key, or whether it
// names the queues.
func Concerns(key string) bool {
	key = conf.Canonical(key)
	return key == conf.QueueNames.Name || slices.ContainsFunc(keyPrefixes, func(p string) bool {
		return strings.HasPrefix(key, p)
	})
}

// NamesFile reports whether the configuration key names a file of a built-in policy.
func NamesFile(key string) bool {
	return slices.ContainsFunc(table, func(e Entry) bool { return slices.Contains(e.Files, conf.Canonical(key)) })
}

// Load collects the input of the named policy: the configuration and the policy's files. A relative
// file name refers to the configuration directory. A file that the user configured must exist, but
// a default file may be missing.
//
// Load also checks the settings of all other policies against the ranges in the table of keys, so
// that a later change of policy does not fail because of a value out of range. Errors are of kind
// Config.
func (t Table) Load(name string, c *conf.Config) (scheduler.Setup, error) {
	e, err := t.find(name, c)
	if err != nil {
		return scheduler.Setup{}, err
	}
	if err := c.CheckRanges(keyPrefixes...); err != nil {
		return scheduler.Setup{}, err
	}
	s := scheduler.Setup{Conf: c}
	for _, key := range e.Files {
		f, err := ReadFile(c, key)
		if err != nil {
			return scheduler.Setup{}, err
		}
		s.Files = append(s.Files, f)
	}
	return s, nil
}

// Open loads the input of the named policy with Load and makes the policy. It returns the policy
// and its short name.
func (t Table) Open(name string, c *conf.Config) (scheduler.Policy, string, error) {
	s, err := t.Load(name, c)
	if err != nil {
		return nil, "", err
	}
	return t.Make(name, s)
}

// FilePath returns the path of the file that the key names; "" means no file. named reports whether
// the user set the key.
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
		return "", false // no configuration directory, so no default file
	}
	return path, named
}

// ReadFile reads the file that the key names. A file that the user configured must exist. If a
// default file is missing, its Data is nil.
func ReadFile(c *conf.Config, key string) (scheduler.File, error) {
	path, named := FilePath(c, key)
	if path == "" {
		return scheduler.File{Key: key}, nil
	}
	b, err := readLimited(path)
	if errors.Is(err, os.ErrNotExist) && !named {
		return scheduler.File{Key: key, Path: path}, nil
	}
	if err != nil {
		return scheduler.File{}, c.Refuse(key,
			fmt.Errorf("read %s: %w", path, err)).Fix("name a file that the JobTracker can read, or unset " + key)
	}
	return scheduler.File{Key: key, Path: path, Data: b}, nil
}

// readLimited reads a regular file of at most MaxFile bytes. If it returns no error, the result is
// not nil, even for an empty file.
func readLimited(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("the file is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(b) > MaxFile {
		err = fmt.Errorf("the file is larger than %d bytes", MaxFile)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}
