//go:build !linux || !amd64

package chaos

import (
	"errors"
	"time"
)

// ShiftClock always returns an error on this system. It works only on Linux with amd64.
func ShiftClock(int, time.Duration) error {
	return errors.New("jumps of one process's clock need Linux on amd64")
}
