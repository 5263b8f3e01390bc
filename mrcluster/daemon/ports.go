package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/port"
)

// If a manager may choose its ports, it reuses the previous manager's ports if they are free,
// because agents look for it there.

// lastAddr returns the previous manager's address for a purpose if addr has port 0 and the same
// host as that address. Otherwise, it returns addr.
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
// It stores the address for the next start.
func listenAgain(dir, purpose, key, addr string, s port.Share) (*port.Listener, error) {
	l, err := port.Listen(key, lastAddr(dir, purpose, addr), s)
	if err != nil {
		l, err = port.Listen(key, addr, s)
	}
	if err != nil {
		return nil, err
	}
	keepAddr(dir, purpose, l.Addr().String())
	return l, nil
}
