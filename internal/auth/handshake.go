package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// The handshake is a mutual challenge and response. Both ends hash the same greetings with the key
// that they share, each with a word of its own, so that no proof can be sent back:
//
//	client: magic, nonce
//	server: nonce, HMAC(key, "server", client's greeting, server's nonce)
//	client: HMAC(key, "client", client's greeting, server's nonce)
//	server: accepted
//
// The server proves itself first. A client thus learns that its secret is wrong before it has
// answered a challenge. The handshake protects neither the secrecy nor the integrity of what
// follows; on networks that strangers can use, connections need TLS.
const (
	magic     = "howdah1\n"
	nonceSize = 32
	helloSize = len(magic) + nonceSize
	accepted  = 1
	keyRPC    = "rpc"
)

// ErrOtherSecret is the error of a handshake whose ends have different secrets.
var ErrOtherSecret = errors.New("the two ends have different secrets")

// ErrNoHandshake is the error of a handshake with a peer that does not know this protocol.
var ErrNoHandshake = errors.New("the peer does not answer as a howdah daemon of this version does")

// Present performs the client's side of the handshake. The caller sets a deadline for the connection.
func (s *Secret) Present(conn net.Conn) error {
	key := s.Key(keyRPC)
	hello := append([]byte(magic), nonce()...)
	if _, err := conn.Write(hello); err != nil {
		return err
	}
	var answer [nonceSize + sha256.Size]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
			return fmt.Errorf("%w: it closed the connection", ErrNoHandshake)
		}
		return err
	}
	challenge, proof := answer[:nonceSize], answer[nonceSize:]
	if !hmac.Equal(proof, prove(key, "server", hello, challenge)) {
		if bytes.HasPrefix(answer[:], []byte("HTTP/")) {
			return ErrNoHandshake
		}
		return ErrOtherSecret
	}
	if _, err := conn.Write(prove(key, "client", hello, challenge)); err != nil {
		return err
	}
	var verdict [1]byte
	if _, err := io.ReadFull(conn, verdict[:]); err != nil {
		return err
	}
	if verdict[0] != accepted {
		return ErrNoHandshake
	}
	return nil
}

// Admit performs the server's side of the handshake and returns the principal at the other end. The
// caller sets a deadline for the connection, and closes it after an error.
func (s *Secret) Admit(conn net.Conn) (Principal, error) {
	hello := make([]byte, helloSize)
	if _, err := io.ReadFull(conn, hello[:len(magic)]); err != nil {
		return Principal{}, err
	}
	if string(hello[:len(magic)]) != magic {
		return Principal{}, ErrNoHandshake
	}
	if _, err := io.ReadFull(conn, hello[len(magic):]); err != nil {
		return Principal{}, err
	}
	key, challenge := s.Key(keyRPC), nonce()
	if _, err := conn.Write(append(bytes.Clone(challenge), prove(key, "server", hello, challenge)...)); err != nil {
		return Principal{}, err
	}
	var proof [sha256.Size]byte
	if _, err := io.ReadFull(conn, proof[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return Principal{}, ErrOtherSecret // the client leaves without an answer
		}
		return Principal{}, err
	}
	if !hmac.Equal(proof[:], prove(key, "client", hello, challenge)) {
		return Principal{}, ErrOtherSecret
	}
	_, err := conn.Write([]byte{accepted})
	return Principal{Admin: true}, err
}

func nonce() []byte {
	b := make([]byte, nonceSize)
	rand.Read(b) // never fails
	return b
}

func prove(key []byte, side string, hello, challenge []byte) []byte {
	h := hmac.New(sha256.New, key)
	io.WriteString(h, side)
	h.Write([]byte{0})
	h.Write(hello)
	h.Write(challenge)
	return h.Sum(nil)
}
