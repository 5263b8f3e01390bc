package transfer

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/pb"
)

// packetOf returns an encoded packet.
func packetOf(at, seq int64, last bool, data string) []byte {
	k := NewPacket(Checksum{CRC32C, 4}, 64)
	k.Add([]byte(data), 64)
	k.Offset, k.Seq, k.Last = at, seq, last
	return bytes.Clone(k.wire())
}

// silent is a connection that ignores deadlines.
type silent struct{ net.Conn }

func (silent) SetReadDeadline(time.Time) error  { return nil }
func (silent) SetWriteDeadline(time.Time) error { return nil }
func (silent) Write(b []byte) (int, error)      { return len(b), nil }
func (silent) Close() error                     { return nil }

// readerOf returns a reader of the range [0, n) of a block from a stream of packets.
func readerOf(t testing.TB, stream []byte, n int64) *BlockReader {
	return &BlockReader{client: New(Options{CacheMax: -1}),
		c:    &conn{nc: silent{}, r: bufio.NewReader(bytes.NewReader(stream)), ctx: t.Context()},
		stop: func() bool { return true }, sum: Checksum{CRC32C, 4}, to: n}
}

func TestPacketsComeBack(t *testing.T) {
	stream := append(append(packetOf(0, 0, false, "0123456789ab"), packetOf(12, 1, false, "cdef")...),
		packetOf(16, 2, true, "")...)
	b, err := io.ReadAll(readerOf(t, stream, 16))
	require.NoError(t, err)
	require.Equal(t, "0123456789abcdef", string(b))
	// A stream that ends before its last packet causes an error, and the data before its end is right.
	for i := range len(stream) - len(packetOf(16, 2, true, "")) {
		b, err := io.ReadAll(readerOf(t, stream[:i], 16))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", i)
		require.Equal(t, "0123456789abcdef"[:len(b)], string(b))
	}
}

// TestEveryFlippedBit checks that the reader never returns a wrong byte, whichever bit is flipped.
func TestEveryFlippedBit(t *testing.T) {
	const want = "0123456789abcdef"
	stream := append(append(packetOf(0, 0, false, want[:12]), packetOf(12, 1, false, want[12:])...),
		packetOf(16, 2, true, "")...)
	for i := range stream {
		for bit := range 8 {
			bad := bytes.Clone(stream)
			bad[i] ^= 1 << bit
			b, _ := io.ReadAll(readerOf(t, bad, int64(len(want))))
			require.Equal(t, want[:len(b)], string(b), "byte %d bit %d", i, bit)
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	var stream []byte
	const n = 200
	for i := range int64(n) {
		stream = append(stream, packetOf(i*12, i, false, "0123456789ab")...)
	}
	r := readerOf(t, stream, n*12)
	r.Next()
	require.Zero(t, testing.AllocsPerRun(n/2, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}))
}

func FuzzReader(f *testing.F) {
	f.Add(append(packetOf(0, 0, false, "0123456789ab"), packetOf(12, 1, true, "")...))
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		b, err := io.ReadAll(readerOf(t, stream, 1000))
		if int64(len(b)) < 1000 && err == nil {
			t.Fatal("the end came without an error")
		}
	})
}

func FuzzMessages(f *testing.F) {
	l := Located{Block: Block{"pool", 1, 2, 3},
		Nodes: []DataNode{{IP: "1.2.3.4", Host: "h", UUID: "u", Port: 1, Rack: "/r"}}, StorageIDs: []string{"s"},
		Storages: []uint64{1}}
	f.Add([]byte(l.Encode()))
	f.Add([]byte(pb.Message(nil).Sint(1, 5).Uint(2, 0).Uint(2, 1)))
	f.Fuzz(func(t *testing.T, m []byte) {
		if l, err := DecodeLocated(m); err == nil {
			again, err := DecodeLocated(l.Encode())
			if err != nil || len(again.Nodes) != len(l.Nodes) || again.Block != l.Block {
				t.Fatalf("%v became %v, %v", l, again, err)
			}
		}
		decodeAck(m)
		decodeAnswer(m)
		decodeHeader(m)
		decodeChecksum(m)
		if len(m) >= prefix {
			lengths(m)
		}
	})
}

func TestLocatedComesBack(t *testing.T) {
	l := Located{Block: Block{"pool", 1, 2, 3}, Offset: 7, Corrupt: true,
		Nodes:      []DataNode{{"1.2.3.4", "h", "u", 1, 2, 3, "/r", Normal}},
		StorageIDs: []string{"s"}, Storages: []uint64{1}, Token: Token{[]byte("i"), []byte("p"), "k", "s"}}
	got, err := DecodeLocated(l.Encode())
	require.NoError(t, err)
	require.Equal(t, l, got)
}
