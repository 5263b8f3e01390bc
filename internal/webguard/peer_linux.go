package webguard

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// ownSocket reports whether a socket of this host, at address far and connected to near, belongs to
// root or to this process's user. Sockets in other network namespaces, such as those of containers, do
// not count.
func ownSocket(far, near netip.AddrPort) bool {
	return ownerIn("/proc/net/tcp", far, near, false) || ownerIn("/proc/net/tcp6", far, near, true) ||
		// The kernel can skip a row if others vanish during the read.
		ownerIn("/proc/net/tcp", far, near, false) || ownerIn("/proc/net/tcp6", far, near, true)
}

// overflowUID stands for all users that are unknown in this process's user namespace.
const overflowUID = 65534

func ownerIn(table string, far, near netip.AddrPort, v6 bool) bool {
	if far.Addr().Is6() && !v6 {
		return false
	}
	f, err := os.Open(table)
	if err != nil {
		return false
	}
	defer f.Close()
	const established = "01"
	row := " " + procAddr(far, v6) + " " + procAddr(near, v6) + " " + established + " "
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if !strings.Contains(lines.Text(), row) {
			continue
		}
		// sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
		col := strings.Fields(lines.Text())
		if len(col) < 10 || col[9] == "0" {
			return false // the socket is closed, and the kernel no longer knows its owner
		}
		uid, err := strconv.Atoi(col[7])
		return err == nil && (uid == 0 || uid == os.Geteuid() && uid != overflowUID)
	}
	return false
}

// procAddr returns an address as /proc/net/tcp or /proc/net/tcp6 spells it: words of 32 bits in the
// host's byte order.
func procAddr(a netip.AddrPort, v6 bool) string {
	b := a.Addr().AsSlice()
	if v6 {
		wide := a.Addr().As16()
		b = wide[:]
	}
	var s strings.Builder
	for ; len(b) > 0; b = b[4:] {
		fmt.Fprintf(&s, "%08X", binary.NativeEndian.Uint32(b))
	}
	fmt.Fprintf(&s, ":%04X", a.Port())
	return s.String()
}
