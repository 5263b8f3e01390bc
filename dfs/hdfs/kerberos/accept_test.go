package kerberos

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/chksumtype"
	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// service returns an Acceptor for a principal and the keys of all services in its keytab.
func service(t testing.TB, principal string) (*Acceptor, *keytab.Keytab) {
	t.Helper()
	dir := t.TempDir()
	krb5 := filepath.Join(dir, "krb5.conf")
	require.NoError(t, os.WriteFile(krb5, []byte(someRealm), 0o600))
	t.Setenv(ConfigEnv, krb5)
	keys := keytab.New()
	for _, name := range []string{"jt/localhost", "jt/other", "HTTP/localhost"} {
		require.NoError(t, keys.AddEntry(name, realm, "password of "+name, time.Now(), 1, 18))
	}
	b, err := keys.Marshal()
	require.NoError(t, err)
	file := filepath.Join(dir, "keytab")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	a, err := NewAcceptor(principal, file)
	require.NoError(t, err)
	return a, keys
}

// issue returns a user's ticket for a service that is valid for a time from now.
func issue(t testing.TB, keys *keytab.Keytab, service string, life time.Duration) *Ticket {
	t.Helper()
	alice := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "alice")
	now := time.Now().UTC()
	start := now.Add(min(0, life-time.Hour))
	tkt, key, err := messages.NewTicket(alice, realm, types.NewPrincipalName(nametype.KRB_NT_SRV_INST, service), realm,
		types.NewKrbFlags(), keys, 18, 1, start, start, now.Add(life), now.Add(life))
	require.NoError(t, err)
	return &Ticket{ticket: tkt, key: key, name: alice, realm: realm, start: start, end: now.Add(life)}
}

var here = net.IPv4(127, 0, 0, 1)

func TestAccept(t *testing.T) {
	a, keys := service(t, "jt/_HOST")
	for _, name := range []string{"jt/localhost", "jt/other"} {
		ticket := issue(t, keys, name, time.Hour)
		request, key, err := ticket.newRequest()
		require.NoError(t, err)
		c, err := a.Accept(request, here)
		require.NoError(t, err)
		require.Equal(t, "alice@"+realm, c.Principal)
		require.Equal(t, key, c.Key)
		require.Len(t, key, 32)
		require.WithinDuration(t, ticket.end.Add(maxSkew), c.End, time.Second)

		_, err = a.Accept(request, here)
		require.Equal(t, Refusal(errorcode.KRB_AP_ERR_REPEAT), err)
		again, key2, err := ticket.newRequest()
		require.NoError(t, err)
		require.NotEqual(t, key, key2)
		_, err = a.Accept(again, here)
		require.NoError(t, err)
		for i := range again {
			changed := bytes.Clone(again)
			changed[i] ^= 1
			c, err := a.Accept(changed, here)
			if err == nil { // only the fields that are not encrypted
				require.Equal(t, "alice@"+realm, c.Principal)
			}
		}
	}
}

// TestReplaysAreForgotten checks that the memory for requests does not grow without limit.
func TestReplaysAreForgotten(t *testing.T) {
	a, _ := service(t, "jt/_HOST")
	now := a.turned
	require.False(t, a.replayed([32]byte{1}, now))
	require.True(t, a.replayed([32]byte{1}, now.Add(2*maxSkew)), "the clocks of both ends can differ")
	require.False(t, a.replayed([32]byte{2}, now.Add(4*maxSkew+2)))
	require.True(t, a.replayed([32]byte{1}, now.Add(4*maxSkew+2)))
	require.False(t, a.replayed([32]byte{3}, now.Add(9*maxSkew)))
	require.False(t, a.replayed([32]byte{4}, now.Add(14*maxSkew)))
	require.Len(t, a.before, 1)
	require.Len(t, a.seen, 1)
}

// requestOf returns a request whose authenticator change has changed.
func requestOf(t *testing.T, ticket *Ticket, change func(*types.Authenticator)) []byte {
	t.Helper()
	auth, err := types.NewAuthenticator(ticket.realm, ticket.name)
	require.NoError(t, err)
	require.NoError(t, auth.GenerateSeqNumberAndSubKey(ticket.key.KeyType, len(ticket.key.KeyValue)))
	auth.Cksum = types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: make([]byte, 24)}
	change(&auth)
	r, err := messages.NewAPReq(ticket.ticket, ticket.key, auth)
	require.NoError(t, err)
	body, err := r.Marshal()
	require.NoError(t, err)
	return frameToken(idRequest, body)
}

func TestRefusals(t *testing.T) {
	a, keys := service(t, "jt/_HOST@"+realm)
	good := issue(t, keys, "jt/localhost", time.Hour)
	at := func(d time.Duration) []byte {
		return requestOf(t, good, func(x *types.Authenticator) { x.CTime = x.CTime.Add(d) })
	}
	other := keytab.New()
	require.NoError(t, other.AddEntry("jt/localhost", realm, "another password", time.Now(), 1, 18))
	require.NoError(t, other.AddEntry("jt/third", realm, "password", time.Now(), 1, 18))
	of := func(keys *keytab.Keytab, service string, life time.Duration) []byte {
		request, _, err := issue(t, keys, service, life).newRequest()
		require.NoError(t, err)
		return request
	}
	for name, x := range map[string]struct {
		request []byte
		code    int32
		says    string
	}{
		"slow clock":      {at(-6 * time.Minute), errorcode.KRB_AP_ERR_SKEW, "set the clocks"},
		"fast clock":      {at(6 * time.Minute), errorcode.KRB_AP_ERR_SKEW, "set the clocks"},
		"expired":         {of(keys, "jt/localhost", -6*time.Minute), errorcode.KRB_AP_ERR_TKT_EXPIRED, "kinit"},
		"other key":       {of(other, "jt/localhost", time.Hour), errorcode.KRB_AP_ERR_MODIFIED, "renew the keytab"},
		"no key":          {of(other, "jt/third", time.Hour), errorcode.KRB_AP_ERR_NOKEY, "the host name in its keytab"},
		"another service": {of(keys, "HTTP/localhost", time.Hour), errorcode.KRB_AP_ERR_NOT_US, "kerberos.principal"},
		"another user": {requestOf(t, good, func(x *types.Authenticator) {
			x.CName = types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "bob")
		}), errorcode.KRB_AP_ERR_BADMATCH, ""},
		"no key proposed": {requestOf(t, good, func(x *types.Authenticator) { x.SubKey = types.EncryptionKey{} }),
			errorcode.KRB_AP_ERR_METHOD, ""},
		"nothing":  {nil, errorcode.KRB_AP_ERR_MODIFIED, ""},
		"no token": {[]byte("GET / HTTP/1.1"), errorcode.KRB_AP_ERR_MODIFIED, ""},
	} {
		c, err := a.Accept(x.request, here)
		require.Equal(t, Refusal(x.code), err, name)
		require.Zero(t, c, name)
		require.ErrorContains(t, err.(Refusal).Explain("log in to", "jt"), x.says, name)
	}
	_, err := a.Accept(at(-4*time.Minute), here)
	require.NoError(t, err)

	// A client can write any realm into its authenticator.
	c, err := a.Accept(requestOf(t, good, func(x *types.Authenticator) { x.CRealm = "OTHER.REALM" }), here)
	require.NoError(t, err)
	require.Equal(t, "alice@"+realm, c.Principal)

	require.NoError(t, os.Remove(a.file))
	_, err = a.Accept(of(keys, "jt/localhost", time.Hour), here)
	require.Equal(t, Refusal(errorcode.KRB_AP_ERR_NOKEY), err)
}

// TestNamesWithSlashes checks that no name looks like that of another principal.
func TestNamesWithSlashes(t *testing.T) {
	a, keys := service(t, "jt/_HOST")
	tt := types.PrincipalName{NameType: nametype.KRB_NT_PRINCIPAL, NameString: []string{"tt/node1"}}
	now := time.Now().UTC()
	tkt, key, err := messages.NewTicket(tt, realm, types.NewPrincipalName(nametype.KRB_NT_SRV_INST, "jt/localhost"), realm,
		types.NewKrbFlags(), keys, 18, 1, now, now, now.Add(time.Hour), now.Add(time.Hour))
	require.NoError(t, err)
	request, _, err := (&Ticket{ticket: tkt, key: key, name: tt, realm: realm}).newRequest()
	require.NoError(t, err)
	_, err = a.Accept(request, here)
	require.Equal(t, Refusal(errorcode.KRB_AP_ERR_BADMATCH), err)
}

func TestKeytabOfAService(t *testing.T) {
	a, _ := service(t, "jt/_HOST")
	for _, principal := range []string{"jt/localhost", "jt/_HOST@" + realm} {
		_, err := NewAcceptor(principal, a.file)
		require.NoError(t, err)
	}
	for principal, kind := range map[string]failure.Kind{"tt/_HOST": failure.Config, "jt/third": failure.Config,
		"jt/_HOST@OTHER.REALM": failure.Config, "": failure.Config} {
		_, err := NewAcceptor(principal, a.file)
		require.Equal(t, kind, failure.KindOf(err), "%s: %v", principal, err)
	}
	_, err := NewAcceptor("jt/_HOST", a.file+"x")
	require.Equal(t, failure.NotFound, failure.KindOf(err))
}

func TestMatchHost(t *testing.T) {
	for _, x := range []struct{ pattern, name, host string }{
		{"tt/_HOST", "tt/n1", "n1"}, {"tt/n1", "tt/N1", "N1"}, {"tt", "tt", "tt"},
		{"tt/_HOST", "tt", ""}, {"tt/_HOST", "tt/", ""}, {"tt/_HOST", "jt/n1", ""}, {"tt/n1", "tt/n2", ""},
		{"tt", "tt/n1", ""}, {"tt/_HOST", "tt/n1/x", ""}, {"", "", ""},
	} {
		require.Equal(t, x.host, MatchHost(x.pattern, x.name), x)
	}
}

func FuzzAccept(f *testing.F) {
	a, keys := service(f, "jt/_HOST")
	request, _, err := issue(f, keys, "jt/localhost", time.Hour).newRequest()
	require.NoError(f, err)
	f.Add(request)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := a.Accept(b, here); err == nil && c.Principal != "alice@"+realm {
			t.Fatalf("%v", c)
		}
	})
}
