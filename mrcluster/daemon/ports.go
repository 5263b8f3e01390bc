package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// A manager that may choose its ports chooses those of the last one, if they are free: agents look for it there.

// lastAddr gives the address that was used last for a purpose, in the place of one with port 0.
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

// keepAddr remembers an address for the next start; that it cannot costs time only.
func keepAddr(dir, purpose, addr string) {
	_ = writeDurably(filepath.Join(dir, purpose+".address"), []byte(addr))
}

// listenAgain listens where the last manager did, or where it is told to.
func listenAgain(dir, purpose, key, addr string) (l net.Listener, err error) {
	if last := lastAddr(dir, purpose, addr); last != addr {
		l, _ = net.Listen("tcp", last)
	}
	if l == nil {
		l, err = net.Listen("tcp", addr)
	}
	if err != nil {
		return nil, failure.New(failure.Config, "listen at "+key, addr, err).Fix("is another daemon there? choose another address or port 0")
	}
	keepAddr(dir, purpose, l.Addr().String())
	return l, nil
}
