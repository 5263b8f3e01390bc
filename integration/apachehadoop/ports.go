package apachehadoop

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/howdah/howdah/job/failure"
)

// The range of ports that FreePorts searches. It is below the range that the kernel assigns to
// outgoing connections. Otherwise, such a connection could use a daemon's port while the daemon
// restarts.
const lowestPort, highestPort = 12000, 32000

// FreePorts returns the numbers of n different free TCP ports, as text.
func FreePorts(n int) ([]string, error) {
	var out []string
	for range 50 * n {
		port := strconv.Itoa(lowestPort + rand.IntN(highestPort-lowestPort))
		l, err := net.Listen("tcp", ":"+port)
		if err != nil {
			continue
		}
		defer l.Close() // keeps all listeners open until the end, so that no port is returned twice
		if out = append(out, port); len(out) == n {
			return out, nil
		}
	}
	return nil, failure.New(failure.IO, "find free ports", "", errors.New("none left"))
}
