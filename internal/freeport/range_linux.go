package freeport

import (
	"os"
	"strconv"
	"strings"
)

// ephemeral returns the first port of the kernel's ephemeral range (ip_local_port_range), or 65535
// if that range begins too low.
func ephemeral() int {
	b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 32768
	}
	fields := strings.Fields(string(b))
	if len(fields) == 0 {
		return 32768
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil || n <= lowest+1000 {
		return 65535 // a port that might be taken is better than no port
	}
	return n
}
