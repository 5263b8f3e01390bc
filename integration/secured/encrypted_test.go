//go:build integration

package secured

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
)

// If the cluster encrypts data transfer, clients encrypt as well, regardless of their settings.
// They use AES or SASL's own ciphers.
func TestEncryptedTransfer(t *testing.T) {
	ctx := needs(t)
	c, err := apachehadoop.Start(ctx, filepath.Join(t.TempDir(), "encrypted"), apachehadoop.Options{
		Kerberos: &apachehadoop.Kerberos{KDC: kdc, RPC: "privacy", Data: "privacy", Encrypt: true}})
	require.NoError(t, err)
	defer c.Stop()
	nn, err := kdc.Login(ctx, "encrypted", c.Keytab(), apachehadoop.NameNodePrincipal)
	require.NoError(t, err)
	t.Setenv("KRB5CCNAME", nn)
	for name, suite := range map[string]string{"AES": "AES/CTR/NoPadding", "SASL's": ""} {
		t.Run(name, func(t *testing.T) {
			s := settings()
			s.Set("fs.defaultFS", c.URI(), "test")
			s.Set("dfs.encrypt.data.transfer.cipher.suites", suite, "test")
			fs, err := open(s)
			require.NoError(t, err)
			roundTrip(t, ctx, fs, "/file")
		})
	}
}
