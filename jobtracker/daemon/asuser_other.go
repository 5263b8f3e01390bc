//go:build !linux

package daemon

// asUser runs f as this process's own user: only Linux can change the user of one thread for its file accesses.
func asUser(_ string, f func() error) error { return f() }
