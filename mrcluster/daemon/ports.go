package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/job/failure"
)

// If a manager may choose its ports, it reuses those of the previous manager if they are free,
// because agents look for it there.

// lastAddr returns the previous address for a purpose if addr has port 0 and the same host.
// Otherwise it returns addr.
func lastAddr(dir, purpose, addr string) string {
	if h, port, _ := net.SplitHostPort(addr); port == "0" {
		if b, err := os.ReadFile(filepath.Join(dir, purpose+".address")); err == nil {
			if last := strings.TrimSpace(string(b)); host(last) == h {
				return last
			}
		}
	}
	return addr
}

// keepAddr stores an address for the next start. It ignores errors, which only delay the agents.
func keepAddr(dir, purpose, addr string) {
	_ = disk.Replace(disk.OS, filepath.Join(dir, purpose+".address"), []byte(addr+"\n"), 0o600)
}

// listenAgain listens at the previous manager's address or, if that fails, at the configured one.
func listenAgain(dir, purpose, key, addr string) (*port.Listener, error) {
	var l net.Listener
	var err error
	if last := lastAddr(dir, purpose, addr); last != addr {
		l, _ = net.Listen("tcp", last)
	}
	if l == nil {
		l, err = net.Listen("tcp", addr)
	}
	if err != nil {
		return nil, failure.New(failure.Config, "listen at "+key, addr, err).
			Fix("stop the daemon that uses the address, or choose another address or port 0")
	}
	keepAddr(dir, purpose, l.Addr().String())
	return port.Limit(l), nil
}
