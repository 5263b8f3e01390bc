package rpc

import (
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

// Protocol is this binary's protocol version, computed as 1000 times the major version plus the
// minor version. A minor version can add fields and calls that the other end lacks. Different major
// versions are incompatible.
const Protocol int32 = 3_000

// CheckProtocol returns an error of kind Stale if the peer's protocol has a different major
// version.
func CheckProtocol(peer int32) error {
	if peer/1000 == Protocol/1000 {
		return nil
	}
	return failure.New(failure.Stale, "check protocol version", "",
		fmt.Errorf("the peer has version %d.%d, but this program has version %d.%d",
			peer/1000, peer%1000, Protocol/1000, Protocol%1000)).Fix("run the same version of howdah on " +
		"both sides")
}
