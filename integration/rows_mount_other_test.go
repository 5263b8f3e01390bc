//go:build integration && !linux

package integration

import "errors"

func mountSmall(string, int) error { return errors.New("only on Linux") }

func unmount(string) error { return nil }
