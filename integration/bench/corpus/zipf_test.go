package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

// The text must never change, because the published figures are for these bytes.
func TestZipfIsTheTextOfTheFigures(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Zipf(&out, 100_000))
	require.GreaterOrEqual(t, out.Len(), 100_000)
	require.Equal(t, byte('\n'), out.Bytes()[out.Len()-1])
	sum := sha256.Sum256(out.Bytes())
	require.Equal(t, "cab5dad532d858d097ba18f2de12aee4990062180490bf2ea3b0102ac649b171", hex.EncodeToString(sum[:]))
}

func TestZipfOfNothingIsEmpty(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Zipf(&out, 0))
	require.Zero(t, out.Len())
}
