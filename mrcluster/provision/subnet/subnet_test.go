package subnet

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestSubnetsDoNotMeet(t *testing.T) {
	network := func(s string) net.Addr {
		ip, n, err := net.ParseCIDR(s)
		require.NoError(t, err)
		return &net.IPNet{IP: ip, Mask: n.Mask}
	}
	require.True(t, Subnet("10.64.3").free([]net.Addr{network("10.64.2.1/24"), network("127.0.0.1/8")}))
	require.False(t, Subnet("10.64.3").free([]net.Addr{network("10.64.0.1/16")}))
	require.False(t, Subnet("10.64.3").free([]net.Addr{network("10.64.3.200/32")}))
}

func TestFind(t *testing.T) {
	s, err := Find("pool")
	require.NoError(t, err)
	require.True(t, s.Valid())
	again, err := Find("pool")
	require.NoError(t, err)
	require.Equal(t, s, again)
	require.False(t, Subnet("").Valid())
	require.False(t, Subnet("10.64.999").Valid())
}

func TestLowest(t *testing.T) {
	taken := map[int]bool{First: true, First + 1: true}
	n, err := Lowest(taken, "n")
	require.NoError(t, err)
	require.Equal(t, First+2, n)
	for n := First; n <= Last; n++ {
		taken[n] = true
	}
	_, err = Lowest(taken, "n")
	require.True(t, failure.Is(err, failure.Limit))
}
