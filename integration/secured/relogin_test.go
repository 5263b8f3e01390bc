//go:build integration

package secured

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
)

// A process with a keytab can continue after its ticket has expired.
func TestTicketsOfAKeytabAreRenewed(t *testing.T) {
	ctx := needs(t)
	t.Setenv(kerberos.CacheEnv, "FILE:/nowhere")
	key, err := kdc.Keytab(ctx, "erin", []string{"erin"}, "-maxlife", "3 seconds", "-maxrenewlife", "0")
	require.NoError(t, err)
	c := settings()
	set(c, map[string]string{conf.SecurityKerberosPrincipal.Name: "erin", conf.SecurityKerberosKeytab.Name: key,
		"ipc.client.connection.maxidletime": "100"})
	fs, err := open(c)
	require.NoError(t, err)
	for range 3 {
		_, err = fs.Stat(ctx, "/tmp")
		require.NoError(t, err)
		time.Sleep(4 * time.Second) // the ticket expires and the connection closes
	}
	roundTrip(t, ctx, fs, "/tmp/erin")
}
