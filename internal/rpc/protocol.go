package rpc

import (
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

// Protocol is the version that this binary speaks: a thousand times the major number plus the minor one. Minor versions add
// fields and calls that the other end may lack; with another major version nothing can be agreed on.
const Protocol int32 = 1_002

// CheckProtocol refuses, with kind Stale, a peer that speaks another major version.
func CheckProtocol(peer int32) error {
	if peer/1000 == Protocol/1000 {
		return nil
	}
	return failure.New(failure.Stale, "check protocol version", "", fmt.Errorf("the peer speaks version %d.%d and this end %d.%d",
		peer/1000, peer%1000, Protocol/1000, Protocol%1000)).Fix("run the same version of howdah at both ends")
}
