//go:build !linux

package child

import (
	"errors"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job/failure"
)

// become returns an error, because TaskTrackers run tasks as other users only on Linux.
func become(*umbilical.Become) error {
	return failure.New(failure.Permission, "become user", "", errors.New("only Linux supports this"))
}
