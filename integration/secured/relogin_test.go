//go:build integration

package secured

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/hdfs/security"
)

// Whoever has a keytab goes on when the ticket has ended.
func TestTicketsOfAKeytabAreRenewed(t *testing.T) {
	ctx := needs(t)
	t.Setenv(kerberos.CacheEnv, "FILE:/nowhere")
	key, err := kdc.Keytab(ctx, "erin", []string{"erin"}, "-maxlife", "3 seconds", "-maxrenewlife", "0")
	require.NoError(t, err)
	c := settings()
	set(c, map[string]string{security.KeyPrincipal: "erin", security.KeyKeytab: key, "ipc.client.connection.maxidletime": "100"})
	fs, err := open(c)
	require.NoError(t, err)
	for range 3 {
		_, err = fs.Stat(ctx, "/tmp")
		require.NoError(t, err)
		time.Sleep(4 * time.Second) // the ticket ends, and the connection is closed
	}
	roundTrip(t, ctx, fs, "/tmp/erin")
}
