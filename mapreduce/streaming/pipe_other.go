//go:build !linux

package streaming

import "os"

// enlarge does nothing on systems without F_SETPIPE_SZ.
func enlarge(*os.File) {}
