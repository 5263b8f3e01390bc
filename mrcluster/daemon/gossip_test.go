package daemon

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
		say := complain(slog.New(slog.NewTextHandler(&log, nil)))
		say("Failed fallback TCP ping: EOF")
		require.Empty(t, log.String())
		for range 3 {
			say("Decrypt packet failed: No installed keys could decrypt the message")
		}
		require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("howdah.gossip.key.file")))
		time.Sleep(complainEvery)
		say("remote state is not encrypted")
		require.Equal(t, 2, bytes.Count(log.Bytes(), []byte("howdah.gossip.key.file")))
	})
}
