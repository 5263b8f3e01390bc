package gossip

import (
	"bytes"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOnlyKeysAreComplainedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := &complaints{log: slog.New(slog.NewTextHandler(&log, nil))}
		say := func(line string) {
			n, err := c.Write([]byte(line + "\n"))
			require.NoError(t, err)
			require.Equal(t, len(line)+1, n)
		}
		say("[ERR] memberlist: Failed fallback TCP ping: EOF")
		say("[DEBUG] memberlist: failed to join 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused")
		require.Empty(t, log.String())
		for range 3 {
			say("[ERR] memberlist: Decrypt packet failed: No installed keys could decrypt the message")
		}
		require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("howdah.gossip.key.file")))
		time.Sleep(complainEvery)
		say("[DEBUG] memberlist: failed to join 127.0.0.1:1: no installed keys could decrypt the message")
		require.Equal(t, 2, bytes.Count(log.Bytes(), []byte("howdah.gossip.key.file")))
	})
}
