//go:build !linux

package daemon

import "github.com/howdah/howdah/internal/passwd"

// committer describes the user that publishes job outputs, for a log message.
func committer() string { return passwd.Me() + " (this process's own)" }

// asUser runs f as this process's own user. Only Linux can change the file permissions of a single
// thread.
func asUser(_ string, f func() error) error { return f() }
