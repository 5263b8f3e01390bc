package tera

import (
	"crypto/md5"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRowsAsHadoop compares rows and checksums with the output of TeraGen and TeraValidate of
// Hadoop 3.4.2 for 1,000 rows.
func TestRowsAsHadoop(t *testing.T) {
	all := make([]byte, 0, 1000*RowLen)
	var row [RowLen]byte
	var sum uint128
	x := skip(1) // the first row's random number is one step after zero
	for n := range uint64(1000) {
		fillRow(row[:], x, n)
		sum = sum.add(uint128{lo: uint64(crc32.ChecksumIEEE(row[:]))})
		all = append(all, row[:]...)
		x = next(x)
	}
	require.Equal(t, "2490d5229a5743c62fd1b17075a6db1a", fmt.Sprintf("%x", md5.Sum(all)))
	require.Equal(t, "1f9ffe645ec", sum.String())
	back, err := parse128(sum.String())
	require.NoError(t, err)
	require.Equal(t, sum, back)
}

func TestSkip(t *testing.T) {
	x := uint128{}
	for n := range uint64(300) {
		require.Equal(t, x, skip(n), "after %d steps", n)
		x = next(x)
	}
	require.Equal(t, next(skip(1<<40)), skip(1<<40+1))
}
