//go:build !unix

package dirlock

import (
	"errors"
	"os"
)

// tryLock returns an error, because a WebAssembly program has no locks. The simulator in a web page
// contains this package but has no directories.
func tryLock(*os.File) error { return errors.ErrUnsupported }
