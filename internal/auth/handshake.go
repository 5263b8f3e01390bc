package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// The handshake is a mutual challenge and response. Both ends hash the same greetings with the key
// that they share, each with a word of its own, so that no proof can be sent back:
//
//	client: magic, nonce, size of the claims (2 bytes), claims
//	server: nonce, HMAC(key, "server", client's greeting, server's nonce)
//	client: HMAC(key, "client", client's greeting, server's nonce)
//	server: verdict
//
// A client that knows the secret sends no claims. A client with a token sends the token's claims,
// and the key is the token's key, which the server computes from the claims and the secret. Neither
// the secret nor the token's key is ever sent.
//
// The server proves itself first. A client thus learns that its secret is wrong before it has
// answered a challenge. The handshake protects neither the secrecy nor the integrity of what
// follows; on networks that strangers can use, connections need TLS. In a connection with TLS, both
// ends also hash a value that only this connection has. So nobody can relay a handshake between two
// connections, even if the client does not know the server's certificate.
const (
	magic     = "howdah1\n"
	nonceSize = 32
	helloSize = len(magic) + nonceSize + 2
	keyRPC    = "rpc"
)

// The verdicts. A server tells them only to a client that has proved its secret or token.
const (
	accepted = 1 + iota
	tokenExpired
	tokenRevoked
)

// ErrOtherSecret is the error of a handshake whose ends have different secrets.
var ErrOtherSecret = errors.New("the two ends have different secrets")

// ErrNoHandshake is the error of a handshake with a peer that does not know this protocol.
var ErrNoHandshake = errors.New("the peer does not answer as a howdah daemon of this version does")

// ErrNeedsTLS is the error of a client without TLS at a server with TLS.
var ErrNeedsTLS = errors.New("the daemon uses TLS, and this end does not")

// ErrWithTLS is the error of a server without TLS for a client with TLS.
var ErrWithTLS = errors.New("the client uses TLS, and this end does not")

// notice is what a server with TLS sends to a client without TLS.
const notice = "howdah: this port needs TLS\n"

// NeedTLS tells a client without TLS that a server has TLS. The caller then closes the connection.
func NeedTLS(conn net.Conn) { _, _ = io.WriteString(conn, notice) }

// Present performs the client's side of the handshake. The caller sets a deadline for the connection.
func (p *Proof) Present(conn net.Conn) error {
	hello := append([]byte(magic), nonce()...)
	hello = binary.BigEndian.AppendUint16(hello, uint16(len(p.claims)))
	hello = append(hello, p.claims...)
	if _, err := conn.Write(hello); err != nil {
		return err
	}
	hello, err := bind(hello, conn)
	if err != nil {
		return err
	}
	var answer [nonceSize + sha256.Size]byte
	if n, err := io.ReadFull(conn, answer[:]); err != nil {
		if string(answer[:n]) == notice {
			return ErrNeedsTLS
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
			return fmt.Errorf("%w: it closed the connection", ErrNoHandshake)
		}
		return err
	}
	challenge, proof := answer[:nonceSize], answer[nonceSize:]
	if !hmac.Equal(proof, prove(p.key, "server", hello, challenge)) {
		if bytes.HasPrefix(answer[:], []byte("HTTP/")) {
			return ErrNoHandshake
		}
		return ErrOtherSecret
	}
	if _, err := conn.Write(prove(p.key, "client", hello, challenge)); err != nil {
		return err
	}
	var verdict [1]byte
	if _, err := io.ReadFull(conn, verdict[:]); err != nil {
		return err
	}
	switch verdict[0] {
	case accepted:
		return nil
	case tokenExpired:
		return ErrExpired
	case tokenRevoked:
		return ErrRevoked
	}
	return ErrNoHandshake
}

// Admit performs the server's side of the handshake and returns the claims of the client at the
// other end. For a client that knows the secret, these are the claims of an administrator, without an
// ID. revoked reports which tokens do not count; nil means none. The caller sets a deadline for the
// connection, and closes it after an error.
func (s *Secret) Admit(conn net.Conn, revoked func(id string) bool) (Claims, error) {
	hello := make([]byte, helloSize)
	if _, err := io.ReadFull(conn, hello[:len(magic)]); err != nil {
		return Claims{}, err
	}
	if string(hello[:len(magic)]) != magic {
		const tlsHandshake = 22 // type of the first record
		if hello[0] == tlsHandshake {
			return Claims{}, ErrWithTLS
		}
		return Claims{}, ErrNoHandshake
	}
	if _, err := io.ReadFull(conn, hello[len(magic):]); err != nil {
		return Claims{}, err
	}
	key, body := s.Key(keyRPC), []byte(nil)
	if n := int(binary.BigEndian.Uint16(hello[helloSize-2:])); n > maxToken {
		return Claims{}, ErrNoHandshake
	} else if n > 0 {
		body = make([]byte, n)
		if _, err := io.ReadFull(conn, body); err != nil {
			return Claims{}, err
		}
		hello, key = append(hello, body...), s.tokenKey(body)
	}
	hello, err := bind(hello, conn)
	if err != nil {
		return Claims{}, err
	}
	challenge := nonce()
	if _, err := conn.Write(append(bytes.Clone(challenge), prove(key, "server", hello, challenge)...)); err != nil {
		return Claims{}, err
	}
	var proof [sha256.Size]byte
	if _, err := io.ReadFull(conn, proof[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return Claims{}, ErrOtherSecret // the client leaves without an answer
		}
		return Claims{}, err
	}
	if !hmac.Equal(proof[:], prove(key, "client", hello, challenge)) {
		return Claims{}, ErrOtherSecret
	}
	claims := Claims{Admin: true}
	verdict := byte(accepted)
	var refused error
	if body != nil {
		claims, refused = parseClaims(body)
		if refused == nil {
			refused = claims.Check(time.Now(), revoked)
		}
		switch {
		case errors.Is(refused, ErrExpired):
			verdict = tokenExpired
		case errors.Is(refused, ErrRevoked):
			verdict = tokenRevoked
		case refused != nil:
			return Claims{}, refused
		}
	}
	if _, err := conn.Write([]byte{verdict}); refused == nil {
		refused = err
	}
	if refused != nil {
		return Claims{}, refused
	}
	return claims, nil
}

// bind adds the channel binding of a connection with TLS (RFC 9266) to a greeting.
func bind(hello []byte, conn net.Conn) ([]byte, error) {
	secure, ok := conn.(*tls.Conn)
	if !ok {
		return hello, nil
	}
	state := secure.ConnectionState()
	binding, err := state.ExportKeyingMaterial("EXPORTER-Channel-Binding", nil, 32)
	return append(hello, binding...), err
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
