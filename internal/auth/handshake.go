package auth

import (
	"context"
	"crypto/hkdf"
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

	"github.com/howdah/howdah/dfs/hdfs/kerberos"
)

// The handshake is a mutual challenge and response. Both ends hash the same greetings with the key
// that they share. Each end adds a different word, so nobody can send a proof back to its author:
//
//	client: magic, nonce, server's address, size of the claims (2 bytes), claims
//	server: 0, nonce, HMAC(key, "server", client's greeting, server's nonce)
//	client: HMAC(key, "client", client's greeting, server's nonce)
//	server: verdict
//
// A client that knows the secret sends no claims. A client with a token sends the token's claims,
// and the key is the token's key, which the server computes from the claims and the secret. Neither
// the secret nor the token's key is ever sent.
//
// A client with a Kerberos login uses a different magic and sends an AP-REQ as its claims. The
// client has chosen the key for this connection, and only the server can read it from the AP-REQ.
//
// If the server rejects a well-formed greeting, its answer is a single byte other than 0.
//
// The server proves itself first, so a client learns that its secret is wrong before it has
// answered a challenge. The greeting contains the address that the client has called. The server
// compares it with the address that it sees itself, and both proofs cover it. Therefore, a program
// at a different address, for example at the port of a stopped daemon, cannot pass a handshake on
// to the server and then use the connection.
//
// The handshake protects neither the secrecy nor the integrity of later messages, so connections
// need TLS on networks that strangers can use. With TLS, both ends also hash a value that is unique
// to the connection. This prevents a program from relaying a handshake between two connections,
// even if the client does not know the server's certificate, so the server accepts every address.
const (
	magic     = "howdah2\n"
	magicKrb  = "howdah2k" // as long as magic
	nonceSize = 32
	addressAt = len(magic) + nonceSize // offset of the address in a greeting
	helloSize = addressAt + addressSize + 2
	keyRPC    = "rpc"
)

// elsewhere is the first byte of the server's answer to a client that has called an address other
// than the server's.
const elsewhere = 0xfe

// The verdicts. A server sends them only to a client that has proved its secret, token, or login.
const (
	accepted = 1 + iota
	tokenExpired
	tokenRevoked
	noUser
)

// ErrOtherSecret is the error of a handshake whose ends have different secrets.
var ErrOtherSecret = errors.New("the two ends have different secrets")

// ErrNoHandshake is the error of a handshake with a peer that does not speak this protocol.
var ErrNoHandshake = errors.New("the peer does not answer as a howdah daemon of this version does")

// ErrNeedsTLS is the client's error if the server uses TLS and the client does not.
var ErrNeedsTLS = errors.New("the daemon uses TLS, and this end does not")

// ErrWithTLS is the server's error if the client uses TLS and the server does not.
var ErrWithTLS = errors.New("the client uses TLS, and this end does not")

// notice is the text that a server with TLS sends to a client without TLS.
const notice = "howdah: this port needs TLS\n"

// NeedTLS notifies a client without TLS that the server needs TLS. The caller then closes the
// connection.
func NeedTLS(conn net.Conn) { _, _ = io.WriteString(conn, notice) }

// Present performs the client's side of the handshake with the server at an address. The caller
// sets a deadline for the connection. A *failure.Error can be shown to the user as is. Other errors
// are from this package or from the connection.
func (p *Proof) Present(ctx context.Context, conn net.Conn, addr string) error {
	kind, claims, key := magic, p.claims, p.key
	if p.login != nil {
		kind = magicKrb
		var err error
		if claims, key, err = p.request(ctx, addr); err != nil {
			return err
		}
	}
	called := addressOf(conn.RemoteAddr())
	hello := appendAddress(append([]byte(kind), nonce()...), called)
	hello = binary.BigEndian.AppendUint16(hello, uint16(len(claims)))
	hello = append(hello, claims...)
	if _, err := conn.Write(hello); err != nil {
		return err
	}
	hello, err := bind(hello, conn)
	if err != nil {
		return err
	}
	var first [1]byte
	if err := readAnswer(conn, first[:]); err != nil {
		return err
	}
	switch {
	case first[0] == 0:
	case first[0] == notice[0]:
		return ErrNeedsTLS
	case first[0] == elsewhere:
		return OtherAddress{called}
	case first[0] == 'H' || p.login == nil: // HTTP, or anything else
		return ErrNoHandshake
	default:
		return p.refused(addr, first[0])
	}
	var answer [nonceSize + sha256.Size]byte
	if err := readAnswer(conn, answer[:]); err != nil {
		return err
	}
	challenge, proof := answer[:nonceSize], answer[nonceSize:]
	if !hmac.Equal(proof, prove(key, "server", hello, challenge)) {
		if p.login != nil {
			return p.notProved(addr)
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
	switch verdict[0] {
	case accepted:
		return nil
	case tokenExpired:
		return ErrExpired
	case tokenRevoked:
		return ErrRevoked
	case noUser:
		if p.login != nil {
			return p.noUser(addr)
		}
	}
	return ErrNoHandshake
}

func readAnswer(conn net.Conn, b []byte) error {
	_, err := io.ReadFull(conn, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("%w: it closed the connection", ErrNoHandshake)
	}
	return err
}

// Admit performs the server's side of the handshake and returns the claims of the client at the
// other end. For a client that knows the secret, these are the claims of an administrator, without
// an ID. revoked reports whether a token has been revoked; nil means that none has. logins admits
// clients with Kerberos; nil admits none. Their claims have no ID, and expire with the ticket. The
// also parameter lists more addresses at which clients may reach the server, because the server
// cannot see these itself. The caller sets a deadline for the connection, and closes it after an
// error.
func (s *Secret) Admit(conn net.Conn, revoked func(id string) bool, logins *Logins, also Addresses) (Claims, error) {
	hello := make([]byte, helloSize)
	if _, err := io.ReadFull(conn, hello[:len(magic)]); err != nil {
		return Claims{}, err
	}
	withKerberos := string(hello[:len(magic)]) == magicKrb
	if string(hello[:len(magic)]) != magic && !withKerberos {
		const tlsHandshake = 22 // type of the first record
		if hello[0] == tlsHandshake {
			return Claims{}, ErrWithTLS
		}
		return Claims{}, ErrNoHandshake
	}
	if _, err := io.ReadFull(conn, hello[len(magic):]); err != nil {
		return Claims{}, err
	}
	n := int64(binary.BigEndian.Uint16(hello[helloSize-2:]))
	if n > maxToken && !withKerberos {
		return Claims{}, ErrNoHandshake
	}
	body, err := io.ReadAll(io.LimitReader(conn, n)) // allocates memory only for the bytes that a stranger has sent
	if err == nil && int64(len(body)) < n {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Claims{}, err
	}
	hello = append(hello, body...)
	called := parseAddress([addressSize]byte(hello[addressAt:]))
	_, secure := conn.(*tls.Conn)
	if !secure && called != addressOf(conn.LocalAddr()) && !also.has(called) {
		_, _ = conn.Write([]byte{elsewhere})
		return Claims{}, OtherAddress{called}
	}
	var key []byte
	var caller kerberos.Caller
	switch {
	case withKerberos && logins == nil:
		_, _ = conn.Write([]byte{noLogins})
		return Claims{}, errors.New("nobody may log in with Kerberos")
	case withKerberos:
		why := byte(0)
		if caller, why, err = logins.accept(body, conn.RemoteAddr()); err != nil {
			_, _ = conn.Write([]byte{why})
			return Claims{}, err
		}
		key = loginKey(caller.Key)
	case n > 0:
		key = s.tokenKey(body)
	default:
		key = s.Key(keyRPC)
	}
	if hello, err = bind(hello, conn); err != nil {
		return Claims{}, err
	}
	challenge := nonce()
	answer := append(append([]byte{0}, challenge...), prove(key, "server", hello, challenge)...)
	if _, err := conn.Write(answer); err != nil {
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
	switch {
	case withKerberos:
		if claims, refused = logins.claims(caller); refused != nil {
			verdict = noUser
		}
	case n > 0:
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

// loginKey derives the key of a handshake from the key of a Kerberos login.
func loginKey(key []byte) []byte {
	derived, err := hkdf.Key(sha256.New, key, nil, "howdah "+keyRPC, sha256.Size)
	if err != nil {
		panic(err) // only for keys longer than 255 hashes
	}
	return derived
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
