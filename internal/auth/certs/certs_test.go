package certs

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

// open returns the TLS of a holder in a mode.
func open(t *testing.T, s *auth.Secret, roles ...Role) *TLS {
	t.Helper()
	c := conf.New()
	c.Set(KeyTLS, "auto", "test")
	x, err := Open(c, s, Holder{Roles: roles, Hosts: []string{"n1", "10.0.0.1"}})
	require.NoError(t, err)
	return x
}

// pipe returns the ends of a connection. Unlike net.Pipe, both ends can write at the same time.
func pipe(t *testing.T) (near, far net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	near, err = net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	far, err = l.Accept()
	require.NoError(t, err)
	return near, far
}

// shake connects a client to a server and returns what each learns.
func shake(t *testing.T, client, server *tls.Config) (atClient, atServer error) {
	near, far := pipe(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer far.Close()
		conn := tls.Server(far, server)
		if atServer = conn.Handshake(); atServer == nil {
			_, atServer = conn.Write([]byte{1})
		}
	}()
	conn := tls.Client(near, client)
	if atClient = conn.Handshake(); atClient == nil {
		_, atClient = conn.Read(make([]byte, 1)) // in TLS 1.3, a server rejects a client's certificate later
	}
	near.Close()
	<-done
	return atClient, atServer
}

func TestOffIsTheDefault(t *testing.T) {
	x, err := Open(conf.New(), auth.NewSecret(), Holder{Roles: []Role{JobTracker}})
	require.NoError(t, err)
	require.Nil(t, x)
	require.Equal(t, "http", x.Scheme())
	require.Nil(t, x.CA())
	require.NoError(t, x.Join(t.Context(), nil))
}

func TestRoles(t *testing.T) {
	s := auth.NewSecret()
	tracker := open(t, s, TaskTracker("N1"))
	user := open(t, s, User("alice"))
	atClient, atServer := shake(t, user.Client(Tracker("tracker_n1:50060")), tracker.Server(Peers))
	require.NoError(t, atClient)
	require.NoError(t, atServer)
	for _, wanted := range []Role{JobTracker, Manager, TaskTracker("n2"), Agent("n1"), User("n1")} {
		atClient, _ = shake(t, user.Client(wanted), tracker.Server(Anybody))
		require.ErrorIs(t, atClient, ErrRole, wanted)
	}
	other := open(t, auth.NewSecret(), User("alice"))
	atClient, _ = shake(t, other.Client(JobTracker), open(t, s, JobTracker).Server(Anybody))
	require.ErrorIs(t, atClient, auth.ErrOtherSecret)
	_, atServer = shake(t, func() *tls.Config {
		stranger := other.Client(JobTracker)
		stranger.VerifyConnection = nil
		stranger.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return other.own() }
		return stranger
	}(), open(t, s, JobTracker).Server(Peers))
	require.ErrorIs(t, atServer, auth.ErrOtherSecret, "a server checks the certificates of clients")
}

// TestTheCAIsTheSameEverywhere checks that browsers that trust the CA trust every process that knows the
// secret.
func TestTheCAIsTheSameEverywhere(t *testing.T) {
	s := auth.NewSecret()
	require.Equal(t, open(t, s, JobTracker).CA(), open(t, s, Manager).CA())
	require.NotEqual(t, open(t, s, JobTracker).CA(), open(t, auth.NewSecret(), JobTracker).CA())
}

func TestNamesForBrowsers(t *testing.T) {
	cert, err := open(t, auth.NewSecret(), JobTracker).own()
	require.NoError(t, err)
	require.NoError(t, cert.Leaf.VerifyHostname("n1"))
	require.NoError(t, cert.Leaf.VerifyHostname("10.0.0.1"))
	require.Error(t, cert.Leaf.VerifyHostname("n2"))
	require.Subset(t, Addresses("extra", "other:1", "7.7.7.7:1", "[::2]:1"), []string{"extra", "other", "7.7.7.7", "::2"})
	require.Contains(t, Addresses("0.0.0.0:1"), "127.0.0.1")
	names, ips := Holder{Hosts: []string{"n1", "h\u00f6st", "10.0.0.1"}}.names()
	require.Equal(t, []string{"n1"}, names, "certificates cannot contain other names")
	require.Len(t, ips, 1)
}

// TestRenewal checks that a daemon replaces its certificate in time, and that clients refuse one that
// has expired.
func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := auth.NewSecret()
		tracker, client := open(t, s, TaskTracker("n1")), open(t, s, User("alice")).Client(TaskTracker("n1"))
		old, err := tracker.own()
		require.NoError(t, err)
		for range 5 {
			time.Sleep(life/2 + time.Minute)
			atClient, _ := shake(t, client, tracker.Server(Anybody))
			require.NoError(t, atClient)
		}
		stale := tracker.Server(Anybody)
		stale.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return old, nil }
		atClient, _ := shake(t, client, stale)
		require.ErrorContains(t, atClient, "expired")
	})
}

// request returns a function that asks the issuer as p.
func request(issuer *TLS, p auth.Principal, until time.Time) Certify {
	return func(_ context.Context, csr []byte) ([]byte, []byte, error) {
		return issuer.Grant(csr, p, net.IPv4(10, 0, 0, 1), until)
	}
}

func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := open(t, auth.NewSecret(), JobTracker)
		node := auth.Principal{Node: "n1"}
		tracker := open(t, nil, TaskTracker("n1"))
		require.False(t, tracker.Joined())
		_, err := tracker.own()
		require.ErrorIs(t, err, errNotJoined)
		require.Nil(t, tracker.CA())
		until := time.Now().Add(10 * time.Hour)
		require.NoError(t, tracker.Join(t.Context(), request(issuer, node, until)))
		require.Equal(t, issuer.CA(), tracker.CA())
		cert, err := tracker.own()
		require.NoError(t, err)
		require.True(t, cert.Leaf.NotAfter.Equal(until), "not longer than the token")
		require.NoError(t, cert.Leaf.VerifyHostname("n1"))
		require.Error(t, cert.Leaf.VerifyHostname("localhost"))
		atClient, _ := shake(t, open(t, nil, User("x")).Client(TaskTracker("n1")), tracker.Server(Anybody))
		require.ErrorIs(t, atClient, errNotJoined, "a client without the CA believes nobody")
		task, err := Trust(tracker.CA())
		require.NoError(t, err)
		atClient, _ = shake(t, task.Client(TaskTracker("n1")), tracker.Server(Anybody))
		require.NoError(t, atClient)

		refused := func(context.Context, []byte) ([]byte, []byte, error) { return nil, nil, auth.ErrRevoked }
		require.NoError(t, tracker.Join(t.Context(), nil), "it needs no new one yet")
		time.Sleep(6 * time.Hour)
		require.NoError(t, tracker.Join(t.Context(), refused), "the certificate is still valid")
		require.NoError(t, tracker.Join(t.Context(), nil), "it asks again after a while")
		time.Sleep(6 * time.Hour)
		require.ErrorIs(t, tracker.Join(t.Context(), refused), auth.ErrRevoked)
		_, err = tracker.own()
		require.Error(t, err)
		require.NoError(t, tracker.Join(t.Context(), request(issuer, node, time.Now().Add(100*time.Hour))))
		cert, err = tracker.own()
		require.NoError(t, err)
		require.True(t, cert.Leaf.NotAfter.Equal(time.Now().Add(life).Truncate(time.Second)))
	})
}

func TestGrant(t *testing.T) {
	issuer := open(t, auth.NewSecret(), JobTracker)
	until := time.Now().Add(time.Hour)
	for _, c := range []struct {
		p    auth.Principal
		role Role
		ok   bool
	}{
		{auth.Principal{User: "alice"}, User("alice"), true},
		{auth.Principal{User: "alice"}, User("bob"), false},
		{auth.Principal{User: "alice"}, JobTracker, false},
		{auth.Principal{User: "alice"}, TaskTracker("alice"), false},
		{auth.Principal{Node: "n1"}, TaskTracker("n1"), true},
		{auth.Principal{Node: "N1"}, Agent("n1"), true},
		{auth.Principal{Node: "n1"}, TaskTracker("n2"), false},
		{auth.Principal{Node: "n1"}, JobTracker, false},
		{auth.Principal{Node: "n1"}, Manager, false},
		{auth.Principal{Node: "n1"}, User("n1"), false},
		{auth.Principal{Node: "n1"}, loggedIn, false},
		{auth.Principal{Admin: true}, TaskTracker("n2"), true},
		{auth.Principal{}, User(""), false},
	} {
		err := open(t, nil, c.role).Join(t.Context(), request(issuer, c.p, until))
		if c.ok {
			require.NoError(t, err, "%v %s", c.p, c.role)
		} else {
			require.True(t, failure.Is(err, failure.Permission), "%v %s: %v", c.p, c.role, err)
		}
	}
	alice := open(t, nil, loggedIn)
	require.NoError(t, alice.Join(t.Context(), request(issuer, auth.Principal{User: "alice"}, until)))
	cert, err := alice.own()
	require.NoError(t, err)
	require.Equal(t, []Role{User("alice")}, rolesIn(cert.Leaf.URIs))
	_, _, err = issuer.Grant([]byte("nonsense"), auth.Principal{Admin: true}, nil, until)
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	var off *TLS
	_, _, err = off.Grant(nil, auth.Principal{Admin: true}, nil, until)
	require.ErrorContains(t, err, KeyTLS)
}

// TestAgrees checks that a certificate and a token must belong to the same user or node.
func TestAgrees(t *testing.T) {
	s := auth.NewSecret()
	check := func(p auth.Principal, role Role) error {
		cert, err := open(t, s, role).own()
		require.NoError(t, err)
		return open(t, s, JobTracker).Agrees(tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert.Leaf}}, p)
	}
	require.NoError(t, check(auth.Principal{User: "alice"}, User("alice")))
	require.Error(t, check(auth.Principal{User: "alice"}, User("bob")))
	require.NoError(t, check(auth.Principal{Node: "n1"}, TaskTracker("n1")))
	require.Error(t, check(auth.Principal{Node: "n1"}, TaskTracker("n2")))
	require.NoError(t, check(auth.Principal{Admin: true}, User("bob")))
	require.NoError(t, open(t, s, JobTracker).Agrees(tls.ConnectionState{}, auth.Principal{User: "alice"}))
}

// write writes the certificate of a role from a CA to files, as an administrator would, and returns the
// configuration that names them.
func write(t *testing.T, dir string, ca *auth.Secret, role Role) *conf.Config {
	c := conf.New()
	c.Set(KeyTLS, "files", "test")
	cert, err := open(t, ca, role).own()
	require.NoError(t, err)
	der, err := x509.MarshalECPrivateKey(cert.PrivateKey.(*ecdsa.PrivateKey))
	require.NoError(t, err)
	for key, text := range map[string][]byte{
		KeyCert: toPEM(cert.Leaf.Raw), KeyCA: toPEM(newIssuer(ca).cert.Raw),
		KeyKey: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})} {
		file := filepath.Join(dir, key)
		require.NoError(t, os.WriteFile(file+".new", text, 0o600))
		require.NoError(t, os.Rename(file+".new", file))
		c.Set(key, file, "test")
	}
	return c
}

// capture returns the buffer that receives the default log until the test ends.
func capture(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	old := slog.Default()
	t.Cleanup(func() { slog.SetDefault(old) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	return &log
}

func TestFiles(t *testing.T) {
	ca := auth.NewSecret()
	holder := func(r Role) Holder { return Holder{Roles: []Role{r}} }
	dir := t.TempDir()
	server, err := Open(write(t, dir, ca, JobTracker), nil, holder(JobTracker))
	require.NoError(t, err)
	client, err := Open(write(t, t.TempDir(), ca, User("alice")), nil, holder(User("alice")))
	require.NoError(t, err)
	atClient, atServer := shake(t, client.Client(JobTracker), server.Server(Peers))
	require.NoError(t, atClient)
	require.NoError(t, atServer)
	naked := client.Client(JobTracker)
	naked.GetClientCertificate = nil
	_, atServer = shake(t, naked, server.Server(Peers))
	require.Error(t, atServer, "every client of gRPC needs a certificate")
	atClient, _ = shake(t, naked, server.Server(Anybody))
	require.NoError(t, atClient)

	// The server reads its files again, and the client does not know the new CA yet.
	other := auth.NewSecret()
	write(t, dir, other, JobTracker)
	atClient, _ = shake(t, client.Client(JobTracker), server.Server(Anybody))
	require.ErrorIs(t, atClient, ErrCA)
	log := capture(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, KeyCert), []byte("torn"), 0o600))
	for range 3 {
		_, err = server.own()
		require.NoError(t, err, "a damaged file does not replace a certificate in use")
	}
	require.Equal(t, 1, strings.Count(log.String(), "key="+KeyCert), log)
	require.NoError(t, os.Remove(filepath.Join(dir, KeyCert)))
	_, err = server.own()
	require.NoError(t, err)
	require.Contains(t, log.String(), "no such file")
	write(t, dir, other, JobTracker)
	_, err = server.own()
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(log.String(), "level=WARN"), log)

	for _, spoil := range []func(c *conf.Config, dir string) (key, text string){
		func(c *conf.Config, dir string) (string, string) {
			c.Set(KeyCA, "", "test")
			return KeyCA, "files needs this file"
		},
		func(c *conf.Config, dir string) (string, string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, KeyKey), 0o644))
			return KeyKey, "chmod 600"
		},
		func(c *conf.Config, dir string) (string, string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, KeyCA), 0o666))
			return KeyCA, "so other users can change it; run: chmod 644 "
		},
		func(c *conf.Config, dir string) (string, string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, KeyCert), 0o664))
			return KeyCert, "chmod 644"
		},
		func(c *conf.Config, dir string) (string, string) {
			write(t, filepath.Join(dir, "..", filepath.Base(dir)), ca, Manager)
			return KeyCert, "howdah://jobtracker"
		},
		func(c *conf.Config, dir string) (string, string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, KeyCA), []byte("x"), 0o600))
			return KeyCA, "no certificate"
		},
		func(c *conf.Config, dir string) (string, string) {
			c.Set(KeyCA, write(t, t.TempDir(), other, JobTracker).Get(KeyCA), "test")
			return KeyCert, "no CA in "
		},
		func(c *conf.Config, dir string) (string, string) {
			require.NoError(t, os.Remove(filepath.Join(dir, KeyCert)))
			return KeyCert, "no such file"
		},
	} {
		dir := t.TempDir()
		c := write(t, dir, ca, JobTracker)
		key, text := spoil(c, dir)
		_, err := Open(c, nil, holder(JobTracker))
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, key)
		require.ErrorContains(t, err, text)
	}
}

// TestExpiredFiles checks that a process does not begin to use a certificate that others reject.
func TestExpiredFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca, dir := auth.NewSecret(), t.TempDir()
		c, who := write(t, dir, ca, JobTracker), Holder{Roles: []Role{JobTracker}}
		now := func() *x509.Certificate {
			x, err := Open(c, nil, who)
			require.NoError(t, err)
			cert, err := x.own()
			require.NoError(t, err)
			return cert.Leaf
		}
		old := now()
		time.Sleep(life + time.Second)
		_, err := Open(c, nil, who)
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, "expired")
		write(t, dir, ca, JobTracker)
		require.True(t, now().NotAfter.After(old.NotAfter))
	})
}

// TestExplain checks the error for the two ways in which a server without TLS answers.
func TestExplain(t *testing.T) {
	for _, answer := range []string{"", "HTTP/1.1 400 Bad Request\r\n\r\n"} {
		near, far := pipe(t)
		go func() {
			defer far.Close()
			_, _ = far.Read(make([]byte, 4096))
			_, _ = far.Write([]byte(answer))
		}()
		conn := tls.Client(near, open(t, auth.NewSecret(), User("x")).Client(JobTracker))
		err := Explain(conn.Handshake())
		require.ErrorIs(t, err, ErrMode)
	}
	require.Nil(t, Explain(nil))
	other := errors.New("other")
	require.Equal(t, other, Explain(other))
	require.False(t, strings.Contains(Remedy, "\n"))
}
