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

// socketOwner returns the ID of the user who owns a socket on this host. The socket's own address
// is far, and it is connected to near. It returns -1 for other sockets, such as those in other
// network namespaces.
func socketOwner(far, near netip.AddrPort) int {
	for range 2 { // the kernel can skip a row if other rows disappear during the read
		for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			if uid := ownerIn(table, far, near, table == "/proc/net/tcp6"); uid >= 0 {
				return uid
			}
		}
	}
	return -1
}

func ownerIn(table string, far, near netip.AddrPort, v6 bool) int {
	if far.Addr().Is6() && !v6 {
		return -1
	}
	f, err := os.Open(table)
	if err != nil {
		return -1
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
			return -1 // the socket is closed, and the kernel no longer records its owner
		}
		if uid, err := strconv.Atoi(col[7]); err == nil {
			return uid
		}
		return -1
	}
	return -1
}

// procAddr formats an address as in /proc/net/tcp or, if v6 is set, /proc/net/tcp6. These files
// contain 32-bit words in the host's byte order.
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
