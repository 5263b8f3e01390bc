package hdfs

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
)

func TestSummary(t *testing.T) {
	ssd := pb.Message(nil).Int(1, 2).Int(2, 100).Int(3, 40)
	m := pb.Message(nil).Int(1, 1000).Int(2, 3).Int(3, 2).Int(4, -1).Int(5, 3000).Int(6, 5000).
		Bytes(7, pb.Message(nil).Bytes(1, ssd)).
		Int(8, 10).Int(9, 1).Int(10, 1).Int(11, 30).String(12, "RS-6-3-1024k")
	s, err := decodeSummary(m)
	require.NoError(t, err)
	require.Equal(t, dfs.Summary{Bytes: 1000, Files: 3, Dirs: 2, Quota: -1, Space: 3000, SpaceQuota: 5000,
		TypeQuotas:    []dfs.TypeQuota{{Type: "SSD", Quota: 100, Used: 40}},
		Snapshot:      dfs.SnapshotSummary{Bytes: 10, Files: 1, Dirs: 1, Space: 30},
		ErasureCoding: "RS-6-3-1024k"}, s)
}

func TestAccessList(t *testing.T) {
	want := []dfs.AccessEntry{{Type: "user", Name: "alice", Permissions: 6}, {Type: "group", Permissions: 5},
		{Default: true, Type: "other"}}
	// The request has the entries in field 2, and the answer has them in field 4. Only the tags
	// differ.
	var m pb.Message
	r := pb.Read(encodeAccess(nil, want))
	for r.Next() {
		require.Equal(t, 2, r.Num)
		m = m.Bytes(4, r.Bytes())
	}
	got, err := decodeAccessList(m)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// A listing with blocks shows which files have an access-control list.
func TestAccessListInListing(t *testing.T) {
	for flags, want := range map[uint64]bool{0: false, 1: true, 2: false, 3: true} {
		s, err := namenode.DecodeStatus(pb.Message(nil).Uint(1, 2).Uint(18, flags))
		require.NoError(t, err)
		require.Equal(t, want, infoOf("/f", s).AccessList, "flags %d", flags)
	}
}

func TestAttributes(t *testing.T) {
	want := dfs.Attribute{Name: "trusted.origin", Value: []byte("here")}
	m, err := encodeAttribute("op", "/f", want)
	require.NoError(t, err)
	got, err := decodeAttributes(pb.Message(nil).Bytes(1, m))
	require.NoError(t, err)
	require.Equal(t, []dfs.Attribute{want}, got)
	for _, bad := range []string{"", "user", "user.", "nobody.x"} {
		_, err := encodeAttribute("op", "/f", dfs.Attribute{Name: bad})
		require.Error(t, err, bad)
	}
}

// TestFileChecksum expects the checksum that Hadoop 3.4.2 prints for an empty file, and the form of
// the one for a file of one block.
func TestFileChecksum(t *testing.T) {
	empty := fileSum(transfer.BlockSum{}, nil)
	require.Equal(t, "MD5-of-0MD5-of-0CRC32", empty.Algorithm)
	require.Equal(t, "00000000000000000000000070bc8f4b72a86921468bf8e8441dce51", hex.EncodeToString(empty.Bytes))
	one := fileSum(transfer.BlockSum{Checksum: transfer.Checksum{Type: transfer.CRC32C, Chunk: 512}}, make([]byte, 16))
	require.Equal(t, "MD5-of-0MD5-of-512CRC32C", one.Algorithm)
	require.Equal(t, "000002000000000000000000", hex.EncodeToString(one.Bytes[:12]))
	require.Len(t, one.Bytes, 28)
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(pb.Message(nil).Int(1, 1).Bytes(7, pb.Message(nil).Bytes(1, pb.Message(nil).Int(1, 99)))))
	f.Add([]byte(encodeAccess(nil, []dfs.AccessEntry{{Type: "mask", Permissions: 7}})))
	f.Add([]byte(pb.Message(nil).Bytes(1, pb.Message(nil).Int(1, 77).String(2, "x").Bytes(3, []byte("v")))))
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeSummary(b)
		if entries, err := decodeAccessList(b); err == nil {
			encodeAccess(nil, entries)
		}
		decodeAttributes(b)
	})
}
