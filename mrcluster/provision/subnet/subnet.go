// Package subnet chooses addresses for pool nodes that share one machine and a bridge. Start with
// Find.
package subnet

import (
	"fmt"
	"net"

	"github.com/howdah/howdah/job/failure"
)

// A Subnet holds the first three numbers of its addresses, as in "10.X.Y".
type Subnet string

// Last numbers of addresses. This machine has Gateway, and nodes have First to Last.
const (
	Gateway = 1
	First   = 2
	Last    = 254
)

// Address returns the address with the given last number.
func (s Subnet) Address(number int) string { return fmt.Sprintf("%s.%d", s, number) }

// CIDR returns the range of the subnet's addresses in CIDR notation.
func (s Subnet) CIDR() string { return s.Address(0) + "/24" }

// Valid reports whether s is a valid subnet.
func (s Subnet) Valid() bool { return net.ParseIP(s.Address(Gateway)).To4() != nil }

// Find chooses a subnet that no network device on this machine uses. The first candidate depends on
// the pool's name, so pools that start at the same time rarely choose the same subnet.
func Find(name string) (Subnet, error) {
	taken, err := net.InterfaceAddrs()
	if err != nil {
		return "", failure.New(failure.IO, "list addresses", "", err)
	}
	var seed uint
	for _, c := range name {
		seed = seed*31 + uint(c)
	}
	for i := range uint(64 * 256) {
		at := (seed + i) % (64 * 256)
		if s := Subnet(fmt.Sprintf("10.%d.%d", 64+at/256, at%256)); s.free(taken) {
			return s, nil
		}
	}
	return "", failure.New(failure.Limit, "find a free network", "10.64.0.0/10", nil)
}

func (s Subnet) free(taken []net.Addr) bool {
	_, ours, _ := net.ParseCIDR(s.CIDR())
	for _, a := range taken {
		if theirs, ok := a.(*net.IPNet); ok && (theirs.Contains(ours.IP) || ours.Contains(theirs.IP)) {
			return false
		}
	}
	return true
}

// Lowest returns the lowest number that is not taken. If all are taken, it returns an error of kind
// Limit that names the node.
func Lowest(taken map[int]bool, name string) (int, error) {
	for n := First; n <= Last; n++ {
		if !taken[n] {
			return n, nil
		}
	}
	return 0, failure.New(failure.Limit, "start node", name, fmt.Errorf("this pool already has %d nodes", len(taken)))
}
