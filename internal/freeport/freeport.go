// Package freeport finds TCP ports on loopback for servers that are started a moment later, or again and again at the same
// place. It stays below the range from which the kernel takes ports of outgoing connections and of listeners that name none:
// such a port could be taken by anybody between the look and the start.
package freeport

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"

	"github.com/howdah/howdah/job/failure"
)

// lowest leaves out the ports that other services are known by, Hadoop's among them.
const lowest = 20000

var (
	mu    sync.Mutex
	given = map[int]bool{} // by this process; whoever asked may not have started its server yet
)

// Find gives n ports that nobody listens on. A process never gets the same one twice.
func Find(n int) ([]int, error) {
	mu.Lock()
	defer mu.Unlock()
	size := max(ephemeral()-lowest, 1)
	at := rand.IntN(size) // apart from what other processes try at this moment
	var out []int
	for range size {
		if len(out) == n {
			break
		}
		port := lowest + at%size
		at++
		if !given[port] && free(port) {
			given[port] = true
			out = append(out, port)
		}
	}
	if len(out) < n {
		return nil, failure.New(failure.IO, "find a free port", "127.0.0.1", nil).Fix("stop some of the servers of this machine")
	}
	return out, nil
}

// Addrs gives n addresses "127.0.0.1:port" that nobody listens on.
func Addrs(n int) ([]string, error) {
	ports, err := Find(n)
	var out []string
	for _, p := range ports {
		out = append(out, addr(p))
	}
	return out, err
}

func addr(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// free asks for all addresses of the machine, since somebody may listen on another one than loopback.
func free(port int) bool {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}
