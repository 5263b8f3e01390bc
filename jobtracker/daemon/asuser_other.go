//go:build !linux

package daemon

import "github.com/howdah/howdah/internal/passwd"

// committer says who publishes outputs.
func committer() string { return passwd.Me() + " (this process's own)" }

// asUser runs f as this process's own user: only Linux can change the user of one thread for its file accesses.
func asUser(_ string, f func() error) error { return f() }
