//go:build integration

package secured

import (
	"bytes"
	"context"
	"io"
	"os"

	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job/failure"
)

// openAs opens the cluster's file system with the keytab or the tokens in o or, if o is empty, with
// the current user's ticket.
func openAs(t *testing.T, o security.Options) *hdfs.FS {
	t.Helper()
	r, err := schemes.ResolverAs(settings(), o, func(text string) { t.Log(text) })
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	fs, _, err := r.Resolve("/")
	require.NoError(t, err)
	return fs.(*hdfs.FS)
}

// A client obtains a delegation token with Kerberos and can then use the token without Kerberos. Only
// the token's renewer can renew it. A canceled token is invalid.
func TestDelegationToken(t *testing.T) {
	ctx := needs(t)
	as(t, "alice")
	alice := openAs(t, security.Options{})
	var creds token.Credentials
	fetched, err := alice.Delegate(ctx, "mapred/localhost@"+apachehadoop.Realm, &creds)
	require.NoError(t, err)
	require.True(t, fetched)
	again, err := alice.Delegate(ctx, "mapred", &creds)
	require.NoError(t, err)
	require.False(t, again, "the user already has a token")
	tok, ok := alice.Token(&creds)
	require.True(t, ok)
	require.Contains(t, tok.String(), "for alice@TEST.LOCAL on 127.0.0.1:")

	t.Setenv(kerberos.CacheEnv, "FILE:/nowhere")
	bearer := openAs(t, security.Options{Tokens: &creds, TokensOnly: true})
	roundTrip(t, ctx, bearer, "/user/alice/bytoken")
	info, err := bearer.Stat(ctx, "/user/alice/bytoken")
	require.NoError(t, err)
	require.Equal(t, "alice", info.Owner)
	_, err = bearer.Delegate(ctx, "mapred", &token.Credentials{})
	require.NoError(t, err, "the token itself is passed on")

	// Only the renewer can renew the token.
	bob := openAs(t, security.Options{Principal: "bob", Keytab: keys["bob"]})
	_, err = bob.RenewToken(ctx, tok)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	mapred := openAs(t, security.Options{Principal: "mapred/_HOST", Keytab: keys["mapred"]})
	end, err := mapred.RenewToken(ctx, tok)
	if err != nil { // _HOST becomes this machine's name, but the principal is for localhost
		mapred = openAs(t, security.Options{Principal: "mapred/localhost", Keytab: keys["mapred"]})
		end, err = mapred.RenewToken(ctx, tok)
	}
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(20*time.Second), end, 10*time.Second)

	require.NoError(t, mapred.CancelToken(ctx, tok))
	require.NoError(t, mapred.CancelToken(ctx, tok), "twice")
	_, err = openAs(t, security.Options{Tokens: &creds, TokensOnly: true}).Stat(ctx, "/")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "get a new one")
}

// A complete job reads from and writes to a secured HDFS. The client has a ticket, the JobTracker
// has a keytab, and all other processes have only the job's token. The JobTracker renews the token
// during the job and cancels it afterward.
func TestJobWithTokens(t *testing.T) {
	ctx := needs(t)
	as(t, "alice")
	alice := openAs(t, security.Options{})
	put(t, ctx, alice, "/user/alice/in/a.txt", "b a b\na b\n")
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Prepare: leaveTicketsBehind, Set: []string{
		"hadoop.security.authentication=kerberos", "dfs.namenode.kerberos.principal=nn/_HOST@" + apachehadoop.Realm,
		"dfs.replication=1", "howdah.tasktracker.run-as=tracker",
		"fs.defaultFS=" + cluster.URI(), "mapreduce.jobtracker.staging.root.dir=/user",
		"mapreduce.jobtracker.system.dir=/tmp/mapred-system",
		"mapreduce.jobtracker.kerberos.principal=mapred/localhost", "mapreduce.jobtracker.keytab.file=" + keys["mapred"]}})

	as(t, "alice")
	r := c.Howdah("run", "wordcount", "in", "out")
	require.Equal(t, 0, r.Code, "%s", r.Err)
	require.Equal(t, "a\t2\nb\t3\n", get(t, ctx, alice, "/user/alice/out/part-r-00000"))
	info, err := alice.Stat(ctx, "/user/alice/out/_SUCCESS")
	require.NoError(t, err)
	require.Equal(t, "alice", info.Owner)
	staging, err := alice.Stat(ctx, "/user/alice/.staging")
	require.NoError(t, err)
	require.Equal(t, uint32(0o700), staging.Mode)

	// A token expires after 20 seconds and this job takes 30, so it writes its output with a
	// renewed token.
	r = c.Howdah("streaming", "-D", "mapreduce.job.reduces=0", "-D", "mapreduce.job.maps=1", "-input", "in",
		"-output", "late", "-mapper", `sh -c "sleep 30; ls -l $HADOOP_TOKEN_FILE_LOCATION | cut -c1-10; cat"`)
	require.Equal(t, 0, r.Code, "%s", r.Err)
	require.Equal(t, "-rw-------\t\nb a b\t\na b\t\n", get(t, ctx, alice, "/user/alice/late/part-00000"))
	minicluster.Eventually(t, time.Minute, "the tokens of both jobs are cancelled", func() bool {
		return bytes.Count(cluster.Log("namenode"), []byte("Token cancellation requested")) >= 2
	})

	// The error for a user without a ticket describes a remedy.
	t.Setenv(kerberos.CacheEnv, "FILE:/nowhere")
	r = c.Howdah("run", "wordcount", "/user/alice/in", "/user/alice/out2")
	require.Equal(t, 2, r.Code, "%s", r.Err)
	require.Contains(t, r.Err, "kinit")
}

// leaveTicketsBehind hides the user's ticket from the processes of the cluster.
func leaveTicketsBehind(string) { os.Setenv(kerberos.CacheEnv, "FILE:/nowhere") }

func put(t *testing.T, ctx context.Context, fs dfs.FileSystem, name, text string) {
	t.Helper()
	w, err := fs.Create(ctx, name, dfs.CreateOptions{Overwrite: true})
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func get(t *testing.T, ctx context.Context, fs dfs.FileSystem, name string) string {
	t.Helper()
	f, err := fs.Open(ctx, name)
	require.NoError(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(b)
}
