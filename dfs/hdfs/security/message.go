package security

import (
	"errors"

	"github.com/howdah/howdah/internal/pb"
)

// The states of Hadoop's SASL messages on RPC (RpcSaslProto.SaslState).
const (
	stateSuccess   = 0
	stateNegotiate = 1
	stateInitiate  = 2
	stateChallenge = 3
	stateResponse  = 4
	stateWrap      = 5
)

// saslMessage is an RpcSaslProto.
type saslMessage struct {
	state uint64
	token []byte
	auths []auth
}

// auth is an authentication method that a server offers (RpcSaslProto.SaslAuth).
type auth struct {
	method    string // "SIMPLE", "TOKEN", "KERBEROS"
	mechanism string // "", "DIGEST-MD5", "GSSAPI"
	protocol  string // first part of the service's principal
	server    string // second part
	challenge []byte // the first challenge, sent in advance

	// echo is the encoded offer without its challenge. A choice must repeat the offer exactly,
	// because the server distinguishes an empty field from a missing one.
	echo pb.Message
}

func (m *saslMessage) encode() pb.Message {
	b := pb.Message(nil).Uint(2, m.state)
	if m.token != nil {
		b = b.Bytes(3, m.token)
	}
	for _, a := range m.auths {
		b = b.Bytes(4, a.echo)
	}
	return b
}

var errMessage = errors.New("damaged SASL message")

// parseMessage decodes an RpcSaslProto. The result aliases b.
func parseMessage(b []byte) (m saslMessage, err error) {
	r := pb.Read(b)
	for r.Next() && err == nil {
		switch r.Num {
		case 2:
			m.state = r.Uint()
		case 3:
			if m.token = r.Bytes(); m.token == nil {
				m.token = []byte{}
			}
		case 4:
			var a auth
			a, err = parseAuth(r.Bytes())
			m.auths = append(m.auths, a)
		}
	}
	return m, errors.Join(err, r.Err)
}

func parseAuth(b []byte) (a auth, err error) {
	r := pb.Read(b)
	for r.Next() {
		switch r.Num {
		case 1:
			a.method = r.String()
		case 2:
			a.mechanism = r.String()
		case 3:
			a.protocol = r.String()
		case 4:
			a.server = r.String()
		case 5:
			a.challenge = r.Bytes()
			continue
		default:
			continue
		}
		a.echo = a.echo.String(r.Num, r.String())
	}
	return a, r.Err
}
