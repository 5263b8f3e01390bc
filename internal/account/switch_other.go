//go:build !linux

package account

import (
	"errors"

	"github.com/howdah/howdah/job/failure"
)

func supported() error {
	return failure.New(failure.Permission, "act as another user", "",
		errors.New("only Linux can change the user of a single thread")).
		Fix("run the daemon as the user who submits the jobs")
}

func (a *Account) do(func() error) error { return supported() }
