package gossip

import (
	"os"
	"slices"
	"strings"
)

// maxPeers bounds the file: a few addresses suffice to find the rest.
const maxPeers = 64

// peersFile names a file with one address a line; "" does nothing. Losing it costs nothing but time, so errors are ignored.
type peersFile string

func (f peersFile) load() []string {
	if f == "" {
		return nil
	}
	b, err := os.ReadFile(string(f))
	if err != nil {
		return nil
	}
	lines := strings.Fields(string(b))
	return lines[:min(len(lines), maxPeers)]
}

// save keeps the last list that was not empty: a member that is alone needs the old one.
func (f peersFile) save(addrs []string) {
	if f == "" || len(addrs) == 0 {
		return
	}
	addrs = addrs[:min(len(addrs), maxPeers)]
	if slices.Equal(f.load(), addrs) {
		return
	}
	tmp := string(f) + ".tmp"
	if os.WriteFile(tmp, []byte(strings.Join(addrs, "\n")+"\n"), 0o600) == nil {
		_ = os.Rename(tmp, string(f))
	}
}
