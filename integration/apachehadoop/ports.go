package apachehadoop

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/howdah/howdah/job/failure"
)

// Ports are taken below those that the kernel gives to outgoing connections, so that a part finds its port free when it
// starts, and again when it is restarted.
const lowestPort, highestPort = 12000, 32000

// FreePorts finds n ports that nobody listens at.
func FreePorts(n int) ([]string, error) {
	var out []string
	for range 50 * n {
		port := strconv.Itoa(lowestPort + rand.IntN(highestPort-lowestPort))
		l, err := net.Listen("tcp", ":"+port)
		if err != nil {
			continue
		}
		defer l.Close() // all stay open until the last is found, so that none comes twice
		if out = append(out, port); len(out) == n {
			return out, nil
		}
	}
	return nil, failure.New(failure.IO, "find free ports", "", errors.New("none left"))
}
