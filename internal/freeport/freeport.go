// Package freeport finds free TCP ports on loopback for servers that start later or restart on the
// same port. It avoids the kernel's range of ephemeral ports, because any process could get such a
// port before the server starts. It uses that range only if there are not enough ports below it.
package freeport

import (
	"net"
	"os"
	"strconv"
	"sync"

	"github.com/howdah/howdah/job/failure"
)

// lowest is the lowest port that Find returns. Most services have well-known ports below it.
const lowest = 20000

// apart is the distance of the first ports of two processes with successive IDs. Processes that start
// at the same time must not find the same port before one of them listens on it.
const apart = 61

var (
	mu    sync.Mutex
	next  = -1             // where the next search starts; negative means that there was none
	given = map[int]bool{} // ports returned by Find, whose servers might not have started yet
)

// Find returns n ports that are currently free. In one process, it never returns the same port
// twice.
func Find(n int) ([]int, error) {
	mu.Lock()
	defer mu.Unlock()
	size := max(ephemeral()-lowest, 1)
	if next < 0 {
		next = os.Getpid() * apart
	}
	at := next % size
	var out []int
	for range size {
		if len(out) == n {
			break
		}
		port := lowest + at%size
		at, next = at+1, next+1
		if !given[port] && free(port) {
			given[port] = true
			out = append(out, port)
		}
	}
	if len(out) < n {
		return nil, failure.New(failure.IO, "find a free port", "127.0.0.1", nil).
			Fix("stop some of the servers of this machine")
	}
	return out, nil
}

// Addrs returns n free addresses of the form "127.0.0.1:port".
func Addrs(n int) ([]string, error) {
	ports, err := Find(n)
	var out []string
	for _, p := range ports {
		out = append(out, addr(p))
	}
	return out, err
}

func addr(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// free reports whether the port is free on all addresses of the machine, because servers can listen
// on addresses other than loopback.
func free(port int) bool {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}
