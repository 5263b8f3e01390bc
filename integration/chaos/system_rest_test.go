//go:build integration && !linux

package chaos

import (
	"errors"
	"syscall"
)

var errNoMount = errors.New("only Linux is supported")

func mountOwn(string, int) error { return errNoMount }

func resize(string, int) error { return errNoMount }

func mountReadOnly(string) error { return errNoMount }

func unmount(string) error { return errNoMount }

func kill9(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
