package auth_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
)

// shake connects a client to a server and returns what each learns.
func shake(client *auth.Proof, server *auth.Secret, revoked func(string) bool) (c auth.Claims, present, admit error) {
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer far.Close()
		c, admit = server.Admit(far, revoked, nil, nil)
	}()
	present = client.Present(context.Background(), near, "jt:9001")
	near.Close()
	<-done
	return c, present, admit
}

func TestHandshake(t *testing.T) {
	s := auth.NewSecret()
	c, present, admit := shake(s.Proof(), s, nil)
	require.NoError(t, present)
	require.NoError(t, admit)
	require.Equal(t, auth.Claims{Admin: true}, c)

	c, present, admit = shake(auth.NewSecret().Proof(), s, nil)
	require.ErrorIs(t, present, auth.ErrOtherSecret)
	require.ErrorIs(t, admit, auth.ErrOtherSecret)
	require.Zero(t, c)
}

// token returns the proof of a new token.
func token(t *testing.T, s *auth.Secret, c auth.Claims) (p *auth.Proof, id string) {
	text, id := s.Issue(c)
	p, err := auth.ParseToken(text+"\n", "file")
	require.NoError(t, err)
	return p, id
}

func TestHandshakeWithToken(t *testing.T) {
	s := auth.NewSecret()
	alice := auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()}
	p, id := token(t, s, alice)
	c, present, admit := shake(p, s, func(string) bool { return false })
	require.NoError(t, present)
	require.NoError(t, admit)
	require.Equal(t, auth.Principal{User: "alice"}, c.Principal())

	c, present, admit = shake(p, s, func(x string) bool { return x == id })
	require.ErrorIs(t, present, auth.ErrRevoked)
	require.ErrorIs(t, admit, auth.ErrRevoked)
	require.Zero(t, c)

	c, present, admit = shake(p, auth.NewSecret(), nil)
	require.ErrorIs(t, present, auth.ErrOtherSecret)
	require.Error(t, admit)
	require.Zero(t, c)

	alice.Expires = time.Now().Add(-time.Second).Unix()
	p, _ = token(t, s, alice)
	c, present, admit = shake(p, s, nil)
	require.ErrorIs(t, present, auth.ErrExpired)
	require.ErrorIs(t, admit, auth.ErrExpired)
	require.Zero(t, c)
}

// TestForgedClaims checks that the holder of a token cannot claim anything else.
func TestForgedClaims(t *testing.T) {
	s := auth.NewSecret()
	text, _ := s.Issue(auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()})
	_, key, _ := strings.Cut(strings.TrimPrefix(text, "howdah1."), ".")
	body, err := json.Marshal(auth.Claims{ID: "0123456789abcdef", Admin: true, Expires: time.Now().Add(time.Hour).Unix()})
	require.NoError(t, err)
	p, err := auth.ParseToken("howdah1."+base64.RawURLEncoding.EncodeToString(body)+"."+key, "file")
	require.NoError(t, err)
	c, present, admit := shake(p, s, nil)
	require.Error(t, present)
	require.Error(t, admit)
	require.Zero(t, c)
}

// admit returns the result of a server whose client sends all of text and then closes, and the bytes
// that the server sent.
func admit(s *auth.Secret, text []byte, logins *auth.Logins) (c auth.Claims, sent []byte, err error) {
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		sent, _ = io.ReadAll(near)
	}()
	go func() {
		_, _ = near.Write(text)
		near.Close()
	}()
	c, err = s.Admit(far, nil, logins, nil)
	far.Close()
	<-done
	return c, sent, err
}

// TestStrangersAreNobody sends what a client of another protocol or an attacker without the secret
// could send.
func TestStrangersAreNobody(t *testing.T) {
	s := auth.NewSecret()
	hello := append([]byte("howdah2\n"), make([]byte, 52)...) // without claims
	long := bytes.Clone(hello)
	long[len(long)-2] = 0xff
	for name, text := range map[string][]byte{
		"nothing":     nil,
		"HTTP/1":      []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"HTTP/2":      []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		"only hello":  hello,
		"zero proof":  append(bytes.Clone(hello), make([]byte, 32)...),
		"short proof": append(bytes.Clone(hello), 1, 2, 3),
		"long claims": append(long, make([]byte, 1<<16)...),
	} {
		p, _, err := admit(s, text, nil)
		require.Error(t, err, name)
		require.Zero(t, p, name)
	}
}

// TestReflection checks that an attacker cannot use the server's proof as its own.
func TestReflection(t *testing.T) {
	s := auth.NewSecret()
	near, far := net.Pipe()
	result := make(chan error, 1)
	go func() {
		_, err := s.Admit(far, nil, nil, nil)
		result <- err
		far.Close()
	}()
	_, err := near.Write(append([]byte("howdah2\n"), make([]byte, 52)...))
	require.NoError(t, err)
	answer := make([]byte, 65)
	_, err = io.ReadFull(near, answer)
	require.NoError(t, err)
	_, err = near.Write(answer[33:])
	require.NoError(t, err)
	require.ErrorIs(t, <-result, auth.ErrOtherSecret)
}

// TestFalseServerLearnsNothing checks that a client sends its proof only to a server that knows the
// secret.
func TestFalseServerLearnsNothing(t *testing.T) {
	s := auth.NewSecret()
	near, far := net.Pipe()
	got := make(chan []byte, 1)
	go func() {
		defer far.Close()
		_, _ = io.ReadFull(far, make([]byte, 60))
		_, _ = far.Write(make([]byte, 65))
		rest, _ := io.ReadAll(far)
		got <- rest
	}()
	require.ErrorIs(t, s.Proof().Present(t.Context(), near, "jt:9001"), auth.ErrOtherSecret)
	near.Close()
	require.Empty(t, <-got)
}

// TestOtherServers checks the error for a server of another protocol.
func TestOtherServers(t *testing.T) {
	for _, text := range []string{"", "\x00\x00\x12\x04", "HTTP/1.1 400 Bad Request\r\n" + string(make([]byte, 80))} {
		near, far := net.Pipe()
		go func() {
			_, _ = io.ReadFull(far, make([]byte, 60))
			_, _ = io.WriteString(far, text)
			far.Close()
		}()
		err := auth.NewSecret().Proof().Present(t.Context(), near, "jt:9001")
		require.True(t, errors.Is(err, auth.ErrNoHandshake), "%q: %v", text, err)
		near.Close()
	}
}

func FuzzAdmit(f *testing.F) {
	f.Add([]byte("howdah2\n"))
	f.Add(append([]byte("howdah2\n"), make([]byte, 84)...))
	f.Add(append([]byte("howdah2\n"), append(make([]byte, 51), append([]byte{2, '{', '}'}, make([]byte, 32)...)...)...))
	s := auth.NewSecret()
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, _, err := admit(s, text, nil); err == nil || c != (auth.Claims{}) {
			t.Fatal("a stranger was admitted")
		}
	})
}
