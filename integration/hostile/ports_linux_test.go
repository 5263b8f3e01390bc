//go:build integration

package hostile

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// port is an open port of a daemon.
type port struct {
	daemon  string
	network string // "tcp" or "udp"
	addr    string
}

// portsOf lists the ports at which a process listens.
func portsOf(t *testing.T, daemon string, pid int) (ports []port) {
	inodes := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	require.NoError(t, err)
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil {
			inodes[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	for table, network := range map[string]string{"tcp": "tcp", "tcp6": "tcp", "udp": "udp", "udp6": "udp"} {
		f, err := os.Open("/proc/net/" + table)
		if err != nil {
			continue // no IPv6
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			field := strings.Fields(s.Text()) // 1: local address, 3: state, 9: inode
			const listening = "0A"
			if len(field) < 10 || !inodes[field[9]] || network == "tcp" && field[3] != listening {
				continue
			}
			_, hex, _ := strings.Cut(field[1], ":")
			n, err := strconv.ParseUint(hex, 16, 16)
			require.NoError(t, err)
			ports = append(ports, port{daemon, network, "127.0.0.1:" + strconv.FormatUint(n, 10)})
		}
	}
	return ports
}

// memory returns the resident memory of a process in bytes, or 0 if the process has ended.
func memory(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	field := strings.Fields(string(b))
	if len(field) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(field[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
