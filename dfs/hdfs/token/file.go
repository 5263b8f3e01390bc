package token

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// FileEnv is the environment variable with the path of a process's credentials file, as in Hadoop.
const FileEnv = "HADOOP_TOKEN_FILE_LOCATION"

// ReadFile reads a credentials file. Errors are usually of kind NotFound, Permission, Corrupt, or
// Limit.
func ReadFile(name string) (*Credentials, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read credentials", name, errors.Unwrap(err))
	}
	defer f.Close()
	return Read(f, name)
}

// Read reads credentials from r. Error messages use name as the file's name.
func Read(r io.Reader, name string) (*Credentials, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read credentials", name, err)
	}
	if len(b) > maxFile {
		return nil, failure.New(failure.Limit, "read credentials", name, fmt.Errorf("more than %d bytes", maxFile))
	}
	c, err := Parse(b)
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read credentials", name, err).
			Fix("name a file that hdfs fetchdt or a job's submission wrote")
	}
	return c, nil
}

// WriteFile writes a credentials file that only its owner can read. It replaces an existing file
// atomically, so no reader sees a partial file. An open descriptor of the old file does not give
// access to the new one.
func (c *Credentials) WriteFile(name string) error {
	if err := disk.Swap(name, c.Encode(), 0o600); err != nil {
		return failure.New(failure.KindOf(err), "write credentials", name, err)
	}
	return nil
}
