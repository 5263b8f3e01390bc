package auth_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
)

// shake connects a client to a server and returns what each learns.
func shake(client, server *auth.Secret) (p auth.Principal, present, admit error) {
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer far.Close()
		p, admit = server.Admit(far)
	}()
	present = client.Present(near)
	near.Close()
	<-done
	return p, present, admit
}

func TestHandshake(t *testing.T) {
	s := auth.NewSecret()
	p, present, admit := shake(s, s)
	require.NoError(t, present)
	require.NoError(t, admit)
	require.True(t, p.Admin)

	p, present, admit = shake(auth.NewSecret(), s)
	require.ErrorIs(t, present, auth.ErrOtherSecret)
	require.ErrorIs(t, admit, auth.ErrOtherSecret)
	require.Zero(t, p)
}

// admit returns the result of a server whose client sends all of text and then closes, and the bytes
// that the server sent.
func admit(s *auth.Secret, text []byte) (p auth.Principal, sent []byte, err error) {
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
	p, err = s.Admit(far)
	far.Close()
	<-done
	return p, sent, err
}

// TestStrangersAreNobody sends what a client of another protocol or an attacker without the secret
// could send.
func TestStrangersAreNobody(t *testing.T) {
	s := auth.NewSecret()
	hello := append([]byte("howdah1\n"), make([]byte, 32)...)
	for name, text := range map[string][]byte{
		"nothing":     nil,
		"HTTP/1":      []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"HTTP/2":      []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		"only hello":  hello,
		"zero proof":  append(bytes.Clone(hello), make([]byte, 32)...),
		"short proof": append(bytes.Clone(hello), 1, 2, 3),
	} {
		p, _, err := admit(s, text)
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
		_, err := s.Admit(far)
		result <- err
		far.Close()
	}()
	_, err := near.Write(append([]byte("howdah1\n"), make([]byte, 32)...))
	require.NoError(t, err)
	answer := make([]byte, 64)
	_, err = io.ReadFull(near, answer)
	require.NoError(t, err)
	_, err = near.Write(answer[32:])
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
		_, _ = io.ReadFull(far, make([]byte, 40))
		_, _ = far.Write(make([]byte, 64))
		rest, _ := io.ReadAll(far)
		got <- rest
	}()
	require.ErrorIs(t, s.Present(near), auth.ErrOtherSecret)
	near.Close()
	require.Empty(t, <-got)
}

// TestOtherServers checks the error for a server of another protocol.
func TestOtherServers(t *testing.T) {
	for _, text := range []string{"", "\x00\x00\x12\x04", "HTTP/1.1 400 Bad Request\r\n" + string(make([]byte, 80))} {
		near, far := net.Pipe()
		go func() {
			_, _ = io.ReadFull(far, make([]byte, 40))
			_, _ = io.WriteString(far, text)
			far.Close()
		}()
		err := auth.NewSecret().Present(near)
		require.True(t, errors.Is(err, auth.ErrNoHandshake), "%q: %v", text, err)
		near.Close()
	}
}

func FuzzAdmit(f *testing.F) {
	f.Add([]byte("howdah1\n"))
	f.Add(append([]byte("howdah1\n"), make([]byte, 64)...))
	s := auth.NewSecret()
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, _, err := admit(s, text); err == nil || p.Admin {
			t.Fatal("a stranger was admitted")
		}
	})
}
