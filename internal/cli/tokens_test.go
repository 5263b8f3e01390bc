package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/transport/tokens"
)

// startIssuer serves a list of tokens.
func startIssuer(t *testing.T) (addr string, l *auth.Ledger) {
	l, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), rpctest.Options(t).Secret)
	require.NoError(t, err)
	return rpctest.Serve(t, func(s grpc.ServiceRegistrar) {
		transport.Register(s, &fakeJobTracker{})
		tokens.Register(s, l, nil)
	}), l
}

func TestTokenCommands(t *testing.T) {
	jt, atJobTracker := startIssuer(t)
	manager, atManager := startIssuer(t)
	do := func(args ...string) (code int, out, errOut string) {
		t.Helper()
		return call(t, append([]string{"token", "-jt", jt, "-D", "howdah.mrcluster.manager.address=" + manager}, args...)...)
	}
	code, out, errOut := do("create", "alice", "--days", "2")
	require.Zero(t, code, errOut)
	proof, err := auth.ParseToken(out, "")
	require.NoError(t, err)
	require.Equal(t, "alice", proof.Claims().User)
	require.Contains(t, errOut, "of user alice is valid until ")
	file := filepath.Join(t.TempDir(), "token")
	code, out, errOut = do("-create", "--node", "N1", "-o", file)
	require.Zero(t, code, errOut)
	require.Empty(t, out)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	code, _, errOut = do("create", "--node", "N1", "-o", file)
	require.Zero(t, code, "a token may be replaced: %s", errOut)

	code, out, errOut = do("list")
	require.Zero(t, code, errOut)
	require.Regexp(t, `^ID +HOLDER +CREATED +EXPIRES +BY +STATE\n`+
		`\w{16}  user alice .*  valid\n(\w{16}  node n1 .* valid\n){2}$`, out)
	id := proof.Claims().ID
	code, out, errOut = do("-revoke", id)
	require.Zero(t, code, errOut)
	require.Empty(t, out)
	require.Contains(t, errOut, "of user alice is revoked")
	require.True(t, atJobTracker.Revoked(id))
	require.True(t, atManager.Revoked(id), "the manager refuses a token of the JobTracker")
	_, out, _ = do("list", "--json")
	require.Equal(t, 1, strings.Count(out, `"state": "REVOKED"`), out)
	require.Equal(t, 2, strings.Count(out, `"state": "VALID"`), out)
	require.Equal(t, 1, strings.Count(out, `"revoked_ms"`), "an unknown time is absent: %s", out)

	for args, want := range map[string]int{"create": 2, "create alice bob": 2, "create alice --admin": 2,
		"create alice --days 0": 2, "create alice --days 4000": 2, "create a/b": 2, "revoke": 2, "revoke 0123456789abcdef": 2,
		"list x": 2, "": 2} {
		code, _, errOut := do(strings.Fields(args)...)
		require.Equal(t, want, code, "%s: %s", args, errOut)
	}
}

// TestTokenFile checks that no file of the user is lost, and that no token is created that cannot be
// written.
func TestTokenFile(t *testing.T) {
	jt, ledger := startIssuer(t)
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	require.NoError(t, os.WriteFile(mine, []byte("my text"), 0o600))
	for file, want := range map[string]string{
		mine: "4: write token " + mine + ": the file exists and holds no token; choose another name, or replace the file " +
			"with --force",
		"/nodir/x": "2: write token /nodir/x: no such file or directory; use a directory that exists",
	} {
		code, _, errOut := call(t, "token", "-jt", jt, "create", "alice", "-o", file)
		require.Contains(t, strings.Replace(errOut, "howdah", strconv.Itoa(code), 1), want)
	}
	require.Empty(t, ledger.List())
	text, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "my text", string(text))
	code, _, errOut := call(t, "token", "-jt", jt, "create", "alice", "--force", "-o", mine)
	require.Zero(t, code, errOut)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file is left")
}

// TestRevokeWithoutManager checks that a token is revoked where that is possible, and that the command
// fails nevertheless.
func TestRevokeWithoutManager(t *testing.T) {
	jt, atJobTracker := startIssuer(t)
	code, out, errOut := call(t, "token", "-jt", jt, "create", "alice")
	require.Zero(t, code, errOut)
	proof, err := auth.ParseToken(out, "")
	require.NoError(t, err)
	code, _, errOut = call(t, "token", "-jt", jt, "-D", "howdah.mrcluster.manager.address=127.0.0.1:1", "revoke",
		proof.Claims().ID)
	require.Equal(t, 5, code)
	require.Contains(t, errOut, "127.0.0.1:1")
	require.True(t, atJobTracker.Revoked(proof.Claims().ID))
}

// TestCommandsWithToken checks that commands show the token in the configured file, with the rights
// of its user.
func TestCommandsWithToken(t *testing.T) {
	jt, _ := startIssuer(t)
	file := filepath.Join(t.TempDir(), "token")
	code, _, errOut := call(t, "token", "-jt", jt, "create", "alice", "-o", file)
	require.Zero(t, code, errOut)
	withToken := []string{"-jt", jt, "-D", "howdah.security.token.file=" + file}
	code, _, errOut = call(t, append([]string{"job", "-list"}, withToken...)...)
	require.Zero(t, code, errOut)
	code, _, errOut = call(t, append([]string{"token", "list"}, withToken...)...)
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "call Tokens.List: user alice may not make this call, only administrators may; use the "+
		"secret (howdah.security.secret.file), or a token of an administrator (howdah token create --admin)\n")
	require.NoError(t, os.Chmod(file, 0o644))
	code, _, errOut = call(t, append([]string{"job", "-list"}, withToken...)...)
	require.Equal(t, 3, code)
	require.Contains(t, errOut, "chmod 600")
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("nonsense"), 0o600))
	code, _, errOut = call(t, append([]string{"job", "-list"}, withToken...)...)
	require.Equal(t, 3, code)
	require.Contains(t, errOut, "howdah token create")
}
