package doctor

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/vint"
)

func TestSecurity(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("KRB5_CONFIG", filepath.Join(dir, "krb5.conf"))
	t.Setenv("KRB5CCNAME", filepath.Join(dir, "none"))
	t.Setenv("HADOOP_USER_NAME", "")
	c := conf.New()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, bytes.Repeat([]byte("s"), 64), 0o600))
	c.Set(conf.SecuritySecretFile.Name, secret, "test")
	var r Report
	r.security(t.Context(), c)
	require.Len(t, r, 1, "nothing to say about HDFS where it has no security")
	require.Equal(t, OK, r[0].Level)
	require.Contains(t, r[0].Detail, "secret file "+secret+", no TLS, ACLs off, tasks as user")
	require.NoError(t, os.Chmod(secret, 0o644))
	r = nil
	r.security(t.Context(), c)
	require.Equal(t, Fail, r[0].Level, "others may read the secret")
	require.NoError(t, os.Chmod(secret, 0o600))
	t.Setenv("HADOOP_USER_NAME", "somebody")
	r = nil
	r.security(t.Context(), c)
	require.Len(t, r, 2)
	require.Contains(t, r[1].Detail, "somebody")

	c.Set("hadoop.security.authentication", "kerberos", "test")
	r = nil
	r.security(t.Context(), c)
	require.Contains(t, r[1].Remedy, "KRB5_CONFIG", "without HDFS, the NameNode's principal is not necessary")
	c.Set("fs.defaultFS", "hdfs://nn", "test")
	r = nil
	r.security(t.Context(), c)
	require.Contains(t, r[1].Detail, "dfs.namenode.kerberos.principal")

	c.Set("dfs.namenode.kerberos.principal", "nn/_HOST@R", "test")
	r = nil
	r.security(t.Context(), c)
	require.Equal(t, Fail, r[1].Level)
	require.Contains(t, r[1].Remedy, "KRB5_CONFIG")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "krb5.conf"), []byte("[libdefaults]\n default_realm = R\n"), 0o600))
	file := filepath.Join(dir, "tokens")
	creds := &token.Credentials{}
	creds.Add(token.Token{Identifier: identifier(time.Now().Add(-time.Hour)), Kind: token.KindHDFS, Service: "old:1"})
	creds.Add(token.Token{Identifier: identifier(time.Now().Add(time.Hour)), Kind: token.KindHDFS, Service: "new:1"})
	require.NoError(t, creds.WriteFile(file))
	c.Set("mapreduce.job.credentials.binary", file, "test")
	r = nil
	r.security(t.Context(), c)
	require.Len(t, r, 4)
	require.Equal(t, []Level{OK, Warn, Fail}, []Level{r[1].Level, r[2].Level, r[3].Level})
	require.Contains(t, r[3].Remedy, "kinit")
}

func TestTokenExpires(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	c := conf.New()
	c.Set(conf.SecurityTokenFile.Name, file, "test")
	for life, want := range map[time.Duration]Level{time.Hour: OK, -time.Hour: Fail} {
		text, _ := auth.NewSecret().Issue(auth.Claims{User: "alice", Expires: time.Now().Add(life).Unix()})
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var r Report
		r.security(t.Context(), c)
		require.Equal(t, want, r[0].Level, r[0].Detail)
		require.Contains(t, r[0].Detail, "alice")
	}
}

// identifier returns the identifier of a delegation token.
func identifier(last time.Time) []byte {
	b := []byte{0, 1, 'a', 1, 'b', 0}
	for _, v := range []int64{0, last.UnixMilli(), 1, 1} {
		b = vint.Append(b, v)
	}
	return b
}
