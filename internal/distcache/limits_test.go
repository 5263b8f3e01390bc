package distcache

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// zeros reads as n zeros.
func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func unpackWithin(t *testing.T, name string, b []byte, limits ArchiveLimits) (int64, error) {
	c, err := unpack(context.Background(), name, bytes.NewReader(b), int64(len(b)), t.TempDir(), limits)
	return c.size, err
}

// zipOfZeros returns an archive with a file of n zeros, which compresses to a thousandth.
func zipOfZeros(t *testing.T, n int64) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("zeros")
	require.NoError(t, err)
	_, err = io.Copy(f, zeros(n))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestUnpackLimitsTheRatio(t *testing.T) {
	limits := ArchiveLimits{Bytes: 10 << 30, Ratio: 200}
	n, err := unpackWithin(t, "small.zip", zipOfZeros(t, 1<<20), limits)
	require.NoError(t, err, "a small archive may have any ratio")
	require.EqualValues(t, 1<<20, n)

	bomb := zipOfZeros(t, freeBytes+freeBytes/4)
	_, err = unpackWithin(t, "bomb.zip", bomb, limits)
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	for _, say := range []string{"bomb.zip", fmt.Sprint(freeBytes), "howdah.archive.maximum.ratio"} {
		require.ErrorContains(t, err, say)
	}
	limits.Ratio = 0
	_, err = unpackWithin(t, "bomb.zip", bomb, limits)
	require.NoError(t, err)
	limits.Bytes = 1000
	_, err = unpackWithin(t, "bomb.zip", bomb, limits)
	require.ErrorContains(t, err, "mapreduce.tasktracker.cache.local.size")
}

func TestUnpackLimitsTheEntries(t *testing.T) {
	limits := ArchiveLimits{Bytes: 1 << 30, Entries: 10}
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("f", i))
		}
		return list
	}
	_, err := unpackWithin(t, "x.zip", zipOf(t, names(10)...), limits)
	require.NoError(t, err)
	deep := tar.Header{Name: strings.Repeat("d/", 20) + "f"} // one entry that makes 20 directories
	for name, b := range map[string][]byte{"many.zip": zipOf(t, names(11)...), "deep.tar": tarOf(t, deep)} {
		_, err := unpackWithin(t, name, b, limits)
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		for _, say := range []string{name, "more than 10 entries", "howdah.archive.maximum.entries"} {
			require.ErrorContains(t, err, say)
		}
	}
}

// TestUnpackLimitsTheDirectory checks that a zip file whose list of entries does not fit into memory is
// rejected before the list is read.
func TestUnpackLimitsTheDirectory(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for range maxDirectory>>16 + 1 {
		h := &zip.FileHeader{Name: "f", Extra: make([]byte, 1<<16-100)}
		h.Extra[0], h.Extra[1], h.Extra[2], h.Extra[3] = 0xff, 0xff, byte(len(h.Extra)-4), byte((len(h.Extra)-4)>>8)
		_, err := w.CreateRaw(h)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	_, err := unpackWithin(t, "x.zip", b.Bytes(), ArchiveLimits{Bytes: 1 << 30})
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "list of entries")
}
