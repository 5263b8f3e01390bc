package gossip

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxPeers is the maximum number of addresses in the file. A few addresses suffice to find the
// other members.
const maxPeers = 64

// peersFile is the name of a file that contains one address per line. If the name is "", the
// methods do nothing. They ignore errors, because a member can work without the file.
type peersFile string

func (f peersFile) load() []string {
	if f == "" {
		return nil
	}
	b, err := os.ReadFile(string(f))
	if err != nil {
		return nil
	}
	lines := slices.DeleteFunc(strings.Fields(string(b)), func(addr string) bool { return !isAddr(addr) })
	return lines[:min(len(lines), maxPeers)]
}

// isAddr reports whether text, a line of the file, is an address. A damaged file can contain other
// lines.
func isAddr(text string) bool {
	host, port, err := net.SplitHostPort(text)
	n, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && bad == nil && n > 0 && host != "" && !strings.ContainsFunc(host, func(c rune) bool {
		return c <= ' ' || c > '~'
	})
}

// save stores the addresses. It keeps the old addresses if there are no new ones, because a member
// that is alone needs them.
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
