// Package subnet finds addresses for the nodes of a pool that live on one machine, behind a bridge of their own.
package subnet

import (
	"fmt"
	"net"

	"github.com/howdah/howdah/job/failure"
)

// Subnet is the first three numbers of the addresses, "10.X.Y".
type Subnet string

// The last numbers of addresses: that of this machine, and of nodes.
const (
	Gateway = 1
	First   = 2
	Last    = 254
)

// Address gives the address with a last number.
func (s Subnet) Address(number int) string { return fmt.Sprintf("%s.%d", s, number) }

// CIDR names all addresses.
func (s Subnet) CIDR() string { return s.Address(0) + "/24" }

// Valid reports whether it is one.
func (s Subnet) Valid() bool { return net.ParseIP(s.Address(Gateway)).To4() != nil }

// Find chooses a subnet in which no device of this machine is, by the name of the pool, so that two pools hardly ever try the same.
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

// Lowest gives the lowest number of a node that nobody has taken; 0 = all are taken.
func Lowest(taken map[int]bool) int {
	for n := First; n <= Last; n++ {
		if !taken[n] {
			return n
		}
	}
	return 0
}
