package auth_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos/kerberostest"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

// ticket is a login of a client with a ticket for a service.
type ticket struct {
	t      testing.TB
	at     *kerberostest.Service
	client string
	late   time.Duration
}

func (k ticket) Principal() string { return k.client + "@" + kerberostest.Realm }
func (k ticket) String() string    { return k.Principal() + " (a test)" }
func (k ticket) Request(_ context.Context, service, host string) (request, key []byte, err error) {
	require.Equal(k.t, "jt/_HOST", service)
	require.Equal(k.t, "jt", host)
	request, key = k.at.Request(k.t, k.client, k.late)
	return request, key, nil
}

// kerberos returns the settings of a JobTracker with a keytab.
func kerberos(s *kerberostest.Service) *conf.Config {
	c := conf.New()
	for k, v := range map[string]string{"hadoop.security.authentication": "kerberos",
		"mapreduce.jobtracker.kerberos.principal": "jt/_HOST", "mapreduce.jobtracker.keytab.file": s.Keytab,
		"mapreduce.tasktracker.kerberos.principal": "tt/_HOST@" + kerberostest.Realm} {
		c.Set(k, v, "test")
	}
	return c
}

// logIn connects a client with a login to a server and returns what each learns.
func logIn(k ticket, s *auth.Secret, logins *auth.Logins) (c auth.Claims, present, admit error) {
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer far.Close()
		c, admit = s.Admit(far, nil, logins, nil)
	}()
	present = auth.LoginProof(k, "jt/_HOST").Present(k.t.Context(), near, "jt:9001")
	near.Close()
	<-done
	return c, present, admit
}

func TestKerberos(t *testing.T) {
	jt, s := kerberostest.New(t, "jt/jt"), auth.NewSecret()
	c := kerberos(jt)
	c.Set("hadoop.security.auth_to_local", "RULE:[2:$1](ops)s/.*/operator/ RULE:[1:$1](gone)s/gone// DEFAULT", "test")
	logins, err := auth.JobTracker.Logins(c)
	require.NoError(t, err)
	require.Equal(t, "Kerberos", logins.Mode())
	for client, want := range map[string]auth.Principal{
		"alice": {User: "alice"}, "ops/host": {User: "operator"}, "alice/admin": {User: "alice"}, "tt": {User: "tt"},
		"tt/Node1.example.com": {Node: "node1.example.com"},
	} {
		claims, present, admit := logIn(ticket{t: t, at: jt, client: client}, s, logins)
		require.NoError(t, present, client)
		require.NoError(t, admit, client)
		require.Equal(t, want, claims.Principal())
		end, ok := claims.Login()
		require.True(t, ok)
		require.WithinDuration(t, time.Now().Add(time.Hour+5*time.Minute), end, 2*time.Second)
	}

	claims, present, admit := logIn(ticket{t: t, at: jt, client: "gone"}, s, logins)
	require.Error(t, admit)
	require.Zero(t, claims)
	require.True(t, failure.Is(present, failure.Permission), "%v", present)
	require.ErrorContains(t, present, "gone@TEST.LOCAL")
	require.ErrorContains(t, present, "hadoop.security.auth_to_local")

	stranger := kerberostest.New(t, "jt/jt") // a service with another key
	for name, x := range map[string]struct {
		k    ticket
		at   *auth.Logins
		kind failure.Kind
		says string
	}{
		"clock":       {ticket{t, jt, "alice", 10 * time.Minute}, logins, failure.Config, "set the clocks"},
		"other key":   {ticket{t, stranger, "alice", 0}, logins, failure.Config, "renew the keytab"},
		"no Kerberos": {ticket{t, jt, "alice", 0}, nil, failure.Config, "accepts no Kerberos logins"},
	} {
		claims, present, admit := logIn(x.k, s, x.at)
		require.Error(t, admit, name)
		require.Zero(t, claims, name)
		require.Equal(t, x.kind, failure.KindOf(present), "%s: %v", name, present)
		require.ErrorContains(t, present, x.says, name)
	}
}

// TestWhoIsANode checks that only the principal of TaskTrackers makes its caller a node.
func TestWhoIsANode(t *testing.T) {
	jt := kerberostest.New(t, "jt/jt")
	for pattern, want := range map[string]auth.Principal{
		"tt/_HOST": {Node: "n1"}, "tt/n1": {Node: "n1"}, "tt/n2": {User: "tt"}, "x/_HOST": {User: "tt"}, "tt": {User: "tt"},
		"tt/_HOST@OTHER.REALM": {User: "tt"}, "": {User: "tt"},
	} {
		c := kerberos(jt)
		c.Set("mapreduce.tasktracker.kerberos.principal", pattern, "test")
		logins, err := auth.JobTracker.Logins(c)
		require.NoError(t, err)
		for client, want := range map[string]auth.Principal{"tt/n1": want, "tt": {User: "tt"}} {
			claims, _, err := logIn(ticket{t: t, at: jt, client: client}, auth.NewSecret(), logins)
			require.NoError(t, err)
			require.Equal(t, want, claims.Principal(), "%s for %s", pattern, client)
		}
	}
}

// TestReplayedLogin checks that nobody can replay a login, even to a server that has restarted
// since.
func TestReplayedLogin(t *testing.T) {
	jt, s := kerberostest.New(t, "jt/jt"), auth.NewSecret()
	logins, err := auth.JobTracker.Logins(kerberos(jt))
	require.NoError(t, err)
	var heard bytes.Buffer
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Admit(far, nil, logins, nil)
		done <- err
	}()
	require.NoError(t, auth.LoginProof(ticket{t: t, at: jt, client: "alice"}, "jt/_HOST").Present(t.Context(),
		spied{near, &heard}, "jt:9001"))
	require.NoError(t, <-done)

	_, sent, err := admit(s, heard.Bytes(), logins)
	require.Error(t, err)
	require.Equal(t, []byte{34}, sent, "the server has seen it")
	logins, err = auth.JobTracker.Logins(kerberos(jt)) // a restarted server has not
	require.NoError(t, err)
	_, _, err = admit(s, heard.Bytes(), logins)
	require.ErrorIs(t, err, auth.ErrOtherSecret)
}

// spied is a connection to which a stranger listens.
type spied struct {
	net.Conn
	heard *bytes.Buffer
}

func (c spied) Write(b []byte) (int, error) {
	c.heard.Write(b)
	return c.Conn.Write(b)
}

// TestFalseService checks that a client sends its proof only to a server that can read its ticket.
func TestFalseService(t *testing.T) {
	jt := kerberostest.New(t, "jt/jt")
	near, far := net.Pipe()
	rest := make(chan []byte, 1)
	go func() {
		head := make([]byte, 60)
		_, _ = io.ReadFull(far, head)
		_, _ = io.CopyN(io.Discard, far, int64(head[58])<<8|int64(head[59]))
		_, _ = far.Write(make([]byte, 65))
		b, _ := io.ReadAll(far)
		rest <- b
	}()
	err := auth.LoginProof(ticket{t: t, at: jt, client: "alice"}, "jt/_HOST").Present(t.Context(), near, "jt:9001")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "did not prove that it is jt/_HOST")
	near.Close()
	require.Empty(t, <-rest)
}

func TestLogins(t *testing.T) {
	jt := kerberostest.New(t, "jt/jt")
	for name, x := range map[string]struct {
		set  map[string]string
		kind failure.Kind // Unknown means no error and no logins
	}{
		"simple":       {map[string]string{"hadoop.security.authentication": "simple"}, failure.Unknown},
		"no principal": {map[string]string{"mapreduce.jobtracker.kerberos.principal": ""}, failure.Config},
		"no keytab":    {map[string]string{"mapreduce.jobtracker.keytab.file": ""}, failure.Config},
		"neither": {map[string]string{"mapreduce.jobtracker.kerberos.principal": "",
			"mapreduce.jobtracker.keytab.file": ""}, failure.Unknown},
		"other principal": {map[string]string{"mapreduce.jobtracker.kerberos.principal": "x/_HOST"}, failure.Config},
		"missing":         {map[string]string{"mapreduce.jobtracker.keytab.file": "/nowhere"}, failure.NotFound},
		"rules":           {map[string]string{"hadoop.security.auth_to_local": "RULE"}, failure.Config},
	} {
		c := kerberos(jt)
		for k, v := range x.set {
			c.Set(k, v, "test")
		}
		l, err := auth.JobTracker.Logins(c)
		require.Nil(t, l, name)
		if x.kind == failure.Unknown {
			require.NoError(t, err, name)
		} else {
			require.Equal(t, x.kind, failure.KindOf(err), "%s: %v", name, err)
		}
	}
	l, err := auth.Manager.Logins(kerberos(jt))
	require.NoError(t, err)
	require.Nil(t, l, "the manager has keys of its own")
	require.Equal(t, "no Kerberos", l.Mode())
}

// TestWhatClientsShow checks which proof a client prefers.
func TestWhatClientsShow(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("KRB5CCNAME", filepath.Join(dir, "cache"))
	jt := kerberostest.New(t, "tt/n1")
	c := kerberos(jt)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}

	_, err := auth.LoadProof(c, auth.JobTracker)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "kinit")
	for _, other := range []*conf.Config{auth.OnlySecret(c, "test"), conf.New()} {
		p, err := auth.LoadProof(other, auth.JobTracker)
		require.NoError(t, err)
		require.True(t, p.Secret())
	}
	p, err := auth.LoadProof(c, auth.Manager)
	require.NoError(t, err)
	require.True(t, p.Secret(), "the manager has no principal")
	p, err = auth.LoadNodeProof(c, auth.JobTracker)
	require.NoError(t, err)
	require.True(t, p.Secret(), "a TaskTracker never uses the ticket of a user")
	require.False(t, auth.Laptop(c))
	other := conf.New()
	require.True(t, auth.Laptop(other))
	other.Set(auth.KeyTokenFile, "token", "test")
	require.False(t, auth.Laptop(other), "administrators can submit jobs as root")

	// An administrator needs no ticket.
	c.Set(auth.KeySecretFile, file("secret", "0123456789012345678901234567890123456789"), "test")
	p, err = auth.LoadProof(c, auth.JobTracker)
	require.NoError(t, err)
	require.True(t, p.Secret())
	c.Set(auth.KeySecretFile, dir+"/none", "test")
	_, err = auth.LoadProof(c, auth.JobTracker)
	require.ErrorContains(t, err, "kinit")

	// A keytab needs no ticket, and no secret.
	c.Set("howdah.security.kerberos.principal", "tt/n1", "test")
	c.Set("howdah.security.kerberos.keytab", jt.Keytab, "test")
	p, err = auth.LoadProof(c, auth.JobTracker)
	require.NoError(t, err)
	require.False(t, p.Secret() || p.Token())
	require.Contains(t, p.File(), "tt/n1@TEST.LOCAL (keytab ")
	m := auth.NewMode(c, p)
	require.Equal(t, "Kerberos login, no TLS, ACLs off", m.Public())
	require.Contains(t, m.String(), "Kerberos login tt/n1@TEST.LOCAL (keytab ")
	_, err = auth.OwnToken(t.Context(), c, time.Hour, nil)
	require.ErrorContains(t, err, auth.KeyTokenFile)
	text, err := auth.OwnToken(t.Context(), c, time.Hour, func(context.Context) (string, error) { return "lent", nil })
	require.NoError(t, err)
	require.Equal(t, "lent", text)
	c.Set("mapreduce.tasktracker.kerberos.principal", "tt/n1", "test")
	c.Set("mapreduce.tasktracker.keytab.file", jt.Keytab, "test")
	p, err = auth.LoadNodeProof(c, auth.JobTracker)
	require.NoError(t, err)
	require.False(t, p.Secret() || p.Token())
	c.Set(auth.KeySecretFile, "", "test")
	require.NoError(t, auth.CheckNode(c, "key", "0.0.0.0:1"))
	_, err = auth.NodeGossipKey(c)
	require.True(t, failure.Is(err, failure.Config), "%v", err)

	// A token comes first.
	token, _ := auth.NewSecret().Issue(auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()})
	c.Set(auth.KeyTokenFile, file("token", token), "test")
	for _, load := range []func(*conf.Config, auth.Service) (*auth.Proof, error){auth.LoadProof, auth.LoadNodeProof} {
		p, err = load(c, auth.JobTracker)
		require.NoError(t, err)
		require.True(t, p.Token())
	}
}

func FuzzAdmitLogin(f *testing.F) {
	jt, s := kerberostest.New(f, "jt/jt"), auth.NewSecret()
	logins, err := auth.JobTracker.Logins(kerberos(jt))
	require.NoError(f, err)
	request, _ := jt.Request(f, "alice", 0)
	hello := append([]byte("howdah2k"), make([]byte, 50)...)
	hello = append(hello, byte(len(request)>>8), byte(len(request)))
	f.Add(append(append(hello, request...), make([]byte, 32)...))
	f.Add([]byte("howdah2k"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, _, err := admit(s, text, logins); err == nil || c != (auth.Claims{}) {
			t.Fatal("a stranger was admitted")
		}
	})
}
