package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRows(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Rows(&out, 250))
	rows := strings.SplitAfter(out.String(), "\n")
	require.Len(t, rows, 4)
	require.Empty(t, rows[3])
	for i, row := range rows[:3] {
		require.Regexp(t, `^[0-9A-V]{10}000000000`+string(rune('0'+i))+`X{79}\n$`, row)
	}
	// The text must never change, because the published figures are for these bytes.
	require.Equal(t, "JVVRK2P32I OG8A1LQT6G MUIQ6DKL9E", rows[0][:10]+" "+rows[1][:10]+" "+rows[2][:10])
}

func TestWords(t *testing.T) {
	var unique, one bytes.Buffer
	require.NoError(t, Unique(&unique, 100_000))
	require.NoError(t, OneWord(&one, 100_000))
	seen := map[string]bool{}
	for _, word := range strings.Fields(unique.String()) {
		require.False(t, seen[word], word)
		seen[word] = true
	}
	require.Len(t, seen, 11_120)
	require.Equal(t, strings.Repeat("sameword ", 9)+"sameword\n", one.String()[:90])
	require.Len(t, one.String(), 100_080)
}

func TestRecords(t *testing.T) {
	var short, long bytes.Buffer
	require.NoError(t, Records(10)(&short, 21))
	require.Equal(t, "000000000\n100000000\n200000000\n", short.String())
	require.NoError(t, Records(40)(&long, 40))
	require.Equal(t, "000000000abcdefghijklmnopqrstuvwxyzabcd\n", long.String())
}

func TestFileIsKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text")
	require.NoError(t, File(name, 100, OneWord))
	require.NoError(t, File(name, 1000, Unique))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("sameword ", 19), string(bytes.ReplaceAll(text, []byte("\n"), []byte(" ")))[:171])
	require.Len(t, text, 180)
}
