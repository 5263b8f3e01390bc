package kerberos

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/test/testdata"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// write creates a file and its missing parents, and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

const someRealm = "[libdefaults]\n default_realm = TEST.LOCAL\n dns_lookup_kdc = false\n udp_preference_limit = 1\n" +
	"[realms]\n TEST.LOCAL = {\n  kdc = 127.0.0.1:1\n }\n[domain_realm]\n .example.com = OTHER.REALM\n"

func TestConfigurationWithIncludes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "conf.d", "10-more"), "[realms]\n MORE.REALM = {\n  kdc = more:88\n }\n")
	write(t, filepath.Join(dir, "conf.d", "20.conf"), "[domain_realm]\n .more = MORE.REALM\n")
	write(t, filepath.Join(dir, "conf.d", "left~"), "[libdefaults]\n default_realm = WRONG\n")
	main := write(t, filepath.Join(dir, "krb5.conf"),
		"includedir "+filepath.Join(dir, "conf.d")+"\nincludedir /nowhere/at/all\n# a comment\n"+someRealm)
	c, err := loadRealms("/nowhere/else:" + main)
	require.NoError(t, err)
	require.Equal(t, "TEST.LOCAL", c.LibDefaults.DefaultRealm)
	require.Len(t, c.Realms, 2)
	require.Equal(t, "MORE.REALM", c.ResolveRealm("host.more"))

	circle := write(t, filepath.Join(dir, "circle"), "include "+filepath.Join(dir, "circle")+"\n")
	_, err = loadRealms(circle)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	_, err = loadRealms("/nowhere")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "KRB5_CONFIG")
}

func TestPrincipals(t *testing.T) {
	for _, x := range []struct{ name, host, want string }{
		{"nn/_HOST", "NN1.Example.com", "nn/nn1.example.com"}, {"nn/fixed", "other", "nn/fixed"}, {"alice", "h", "alice"},
	} {
		got, err := expandHost(x.name, x.host)
		require.NoError(t, err)
		require.Equal(t, x.want, got)
	}
	got, err := expandHost("nn/_HOST", "0.0.0.0")
	require.NoError(t, err)
	require.Contains(t, got, "nn/")
	l := newLogin(client.NewWithPassword("alice", "TEST.LOCAL", "", realms(t)), &keytabSource{})
	for _, x := range []struct{ pattern, host, want string }{
		{"nn/_HOST@R", "h", "nn/h@R"}, {"nn/_HOST", "a.example.com", "nn/a.example.com@OTHER.REALM"},
		{"nn/_HOST", "h", "nn/h@TEST.LOCAL"},
	} {
		got, err := l.Service(x.pattern, x.host)
		require.NoError(t, err)
		require.Equal(t, x.want, got)
	}
}

func realms(t *testing.T) *config.Config {
	t.Helper()
	c, err := config.NewFromString(someRealm)
	require.NoError(t, err)
	return c
}

func TestKeytab(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(ConfigEnv, write(t, filepath.Join(dir, "krb5.conf"), someRealm))
	keys := keytab.New()
	require.NoError(t, keys.AddEntry("mapred/localhost", realm, "secret", time.Now(), 1, 18))
	b, err := keys.Marshal()
	require.NoError(t, err)
	file := write(t, filepath.Join(dir, "keytab"), string(b))
	l, err := FromKeytab("mapred/localhost", file)
	require.NoError(t, err)
	require.Equal(t, "mapred/localhost@TEST.LOCAL", l.Principal())
	_, err = l.Ticket(context.Background(), "nn/localhost@TEST.LOCAL") // no KDC listens at this address
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorContains(t, err, "start the KDC")

	for principal, kind := range map[string]failure.Kind{"alice": failure.Config, "": failure.Config,
		"@R": failure.Config} {
		_, err := FromKeytab(principal, file)
		require.Equal(t, kind, failure.KindOf(err), "%q: %v", principal, err)
	}
	for n := range b {
		_, err := FromKeytab("mapred/localhost", write(t, filepath.Join(dir, "cut"), string(b[:n])))
		require.Error(t, err, "%d of %d bytes", n, len(b))
	}
	_, err = FromKeytab("mapred/localhost", filepath.Join(dir, "none"))
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
}

func TestTicketCachesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(ConfigEnv, write(t, filepath.Join(dir, "krb5.conf"), someRealm))
	for name, kind := range map[string]failure.Kind{
		"/nowhere":        failure.Permission,
		"FILE:/nowhere":   failure.Permission,
		"KCM:":            failure.Config,
		"DIR:/tmp/caches": failure.Config,
		write(t, filepath.Join(dir, "empty"), ""):                       failure.Corrupt,
		write(t, filepath.Join(dir, "text"), "this is no cache"):        failure.Corrupt,
		write(t, filepath.Join(dir, "cut"), "\x05\x04\x00\x0c\x00\x01"): failure.Corrupt,
	} {
		t.Setenv(CacheEnv, name)
		_, err := FromCache()
		require.Equal(t, kind, failure.KindOf(err), "%s: %v", name, err)
	}
}

// TestHeaderOfACache checks that a header is refused if the library would not stop reading at its end. It
// would then take other bytes for counts, and allocate memory for billions of addresses.
func TestHeaderOfACache(t *testing.T) {
	const rest = "\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01R\x00\x00\x00\x01a"
	for _, header := range []string{"\x00\x02\x02\x00", "\x00\x0b\x00\x01\x00\x08\xff\xff\xff\xff\x00\x00\x00",
		"\x00\x0d\x00\x01\x00\x08\xff\xff\xff\xff\x00\x00\x00\x00\x00"} {
		require.ErrorIs(t, parseCache(new(credentials.CCache), []byte("\x05\x04"+header+rest)), errDamagedCache, "%q", header)
	}
	for _, header := range []string{"\x00\x00", "\x00\x0c\x00\x01\x00\x08\xff\xff\xff\xff\x00\x00\x00\x00"} {
		require.NoError(t, parseCache(new(credentials.CCache), []byte("\x05\x04"+header+rest)), "%q", header)
	}
}

// A cache of MIT's kinit is read. Cut anywhere, except between two tickets, it is an error.
func TestTicketCacheOfKinit(t *testing.T) {
	b, err := hex.DecodeString(testdata.CCACHE_TEST)
	require.NoError(t, err)
	c := new(credentials.CCache)
	require.NoError(t, parseCache(c, b))
	require.Equal(t, "TEST.GOKRB5", c.DefaultPrincipal.Realm)
	require.Greater(t, len(c.Credentials), 1)
	whole := 0
	for n := range b {
		if parseCache(new(credentials.CCache), b[:n]) == nil {
			whole++
		}
	}
	require.Equal(t, len(c.Credentials), whole, "the principal alone, and all tickets but the last")
}

// aSource issues tickets without a KDC.
type aSource struct {
	gets  int
	life  time.Duration
	fails error
	newer bool
}

func (s *aSource) get(*client.Client) (*Ticket, error) {
	s.gets++
	now := time.Now()
	return &Ticket{start: now, end: now.Add(s.life)}, s.fails
}
func (s *aSource) changed() bool  { return s.newer }
func (s *aSource) String() string { return "a test" }

func TestErrorsAreExplained(t *testing.T) {
	l := newLogin(client.NewWithPassword("alice", "R", "", config.New()), &aSource{})
	for text, kind := range map[string]failure.Kind{
		"[Root cause: KDC_Error] KDC_Error: TGS Exchange Error < KDC_Error: KRB Error: (7) KDC_ERR_S_PRINCIPAL_UNKNOWN " +
			"Server not found": failure.Config,
		"KRB Error: (37) KRB_AP_ERR_SKEW Clock skew too great":    failure.Config,
		"clock skew with KDC too large. Greater than 300 seconds": failure.Config,
		"KRB Error: (32) KRB_AP_ERR_TKT_EXPIRED Ticket expired":   failure.Permission,
		"communication error with KDC via TCP: refused":           failure.Unreachable,
		"something that nobody has heard of":                      failure.Permission,
	} {
		err := explain(errors.New(text), l, "nn/h@R")
		require.Equal(t, kind, failure.KindOf(err), text)
		var e *failure.Error
		require.ErrorAs(t, err, &e)
		if kind != failure.Permission || text[0] == 'K' {
			require.NotEmpty(t, e.Remedy, text)
		}
		require.NotContains(t, err.Error(), "Root cause")
	}
	ours := failure.New(failure.Corrupt, "read", "x", nil)
	require.Same(t, ours, explain(fmt.Errorf("%w", ours), l, "s").(interface{ Unwrap() error }).Unwrap())
}

// TestTicketForTicketsIsKept checks that the Login requests a new ticket when the old one is about
// to expire, and returns the old one if the KDC is unreachable. If the source has a newer ticket,
// the Login forgets the old ones.
func TestTicketForTicketsIsKept(t *testing.T) {
	ctx := context.Background()
	s := &aSource{life: time.Hour}
	l := newLogin(client.NewWithPassword("alice", "TEST.LOCAL", "", realms(t)), s)
	good := &Ticket{start: time.Now(), end: time.Now().Add(time.Hour)}
	l.issued["nn/h@TEST.LOCAL"] = good
	got, err := l.Ticket(ctx, "nn/h@TEST.LOCAL")
	require.NoError(t, err)
	require.Same(t, good, got)
	require.Zero(t, s.gets)

	old := &Ticket{start: time.Now().Add(-time.Hour), end: time.Now().Add(time.Minute)}
	l.issued["nn/h@TEST.LOCAL"] = old
	got, err = l.Ticket(ctx, "nn/h@TEST.LOCAL") // no KDC listens, but the old ticket is still valid
	require.NoError(t, err)
	require.Same(t, old, got)
	require.Equal(t, 1, s.gets)

	l.issued["nn/h@TEST.LOCAL"] = good
	s.newer = true
	_, err = l.Ticket(ctx, "nn/h@TEST.LOCAL")
	require.Error(t, err, "all was forgotten")
	require.Equal(t, 2, s.gets)
	s.fails = errors.New("no key")
	_, err = l.Ticket(ctx, "nn/x@TEST.LOCAL")
	require.ErrorContains(t, err, "no key")
}

func FuzzTicketCache(f *testing.F) {
	f.Add([]byte("\x05\x04\x00\x0c\x00\x01\x00\x08\xff\xff\xff\xff\x00\x00\x00\x00" +
		"\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01R\x00\x00\x00\x01a"))
	// A count of components that the library would believe.
	f.Add([]byte("\x05\x04\x00\x0c\x00\x01\x00\x08\xff\xff\xff\x00\x00\x00\xff\xff\x00\x00\x00\x01R\x00\x00\x00\x01a"))
	f.Add([]byte("\x05\x04\x00\x02\x02\x0000/0\x00\x00\x00\x01\x00\x00\x00\x010\x00\x00\x00\x010"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		_ = parseCache(new(credentials.CCache), b)
	})
}
