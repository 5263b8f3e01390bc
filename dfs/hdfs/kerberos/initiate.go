package kerberos

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/chksumtype"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// The flags of a security context (RFC 4121 section 4.1.1.1).
const (
	flagMutual   = 2
	flagReplay   = 4
	flagSequence = 8
	flagConf     = 16
	flagInteg    = 32
)

// The types of tokens. They are the first two bytes inside the frame.
const (
	idRequest = 0x0100 // AP-REQ
	idReply   = 0x0200 // AP-REP
	idError   = 0x0300 // KRB-ERROR
)

// mechanismID is the object identifier 1.2.840.113554.1.2.2 of Kerberos in GSS-API, in DER.
var mechanismID = []byte{0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02}

// handshake is the initiator's side of establishing a security context.
type handshake struct {
	ticket *Ticket
	auth   types.Authenticator
}

// request returns the AP-REQ. It proposes a key for the context and requires mutual authentication.
func (h *handshake) request() ([]byte, error) {
	err := checkEtype(h.ticket.key.KeyType)
	if err != nil {
		return nil, err
	}
	if h.auth, err = types.NewAuthenticator(h.ticket.realm, h.ticket.name); err != nil {
		return nil, err
	}
	if err := h.auth.GenerateSeqNumberAndSubKey(h.ticket.key.KeyType, len(h.ticket.key.KeyValue)); err != nil {
		return nil, err
	}
	rand.Read(h.auth.SubKey.KeyValue) // the library also fills the key but ignores rand.Read errors
	h.auth.CTime = h.auth.CTime.Truncate(time.Second)
	checksum := make([]byte, 24) // no channel bindings
	binary.LittleEndian.PutUint32(checksum, 16)
	binary.LittleEndian.PutUint32(checksum[20:], flagMutual|flagReplay|flagSequence|flagConf|flagInteg)
	h.auth.Cksum = types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: checksum}
	r, err := messages.NewAPReq(h.ticket.ticket, h.ticket.key, h.auth)
	if err != nil {
		return nil, err
	}
	types.SetFlag(&r.APOptions, flags.APOptionMutualRequired)
	body, err := r.Marshal()
	if err != nil {
		return nil, err
	}
	return frameToken(idRequest, body), nil
}

// reply checks the AP-REP and returns the context. The AP-REP contains a time that only a server
// with the ticket's key can read.
func (h *handshake) reply(token []byte) (*secContext, error) {
	id, body, err := openToken(token)
	if err != nil {
		return nil, err
	}
	switch id {
	case idReply:
	case idError:
		var e messages.KRBError
		if err := e.Unmarshal(body); err != nil {
			return nil, err
		}
		return nil, e
	default:
		return nil, fmt.Errorf("the server answered with token %04x", id)
	}
	var r messages.APRep
	if err := r.Unmarshal(body); err != nil {
		return nil, err
	}
	plain, err := crypto.DecryptEncPart(r.EncPart, h.ticket.key, keyusage.AP_REP_ENCPART)
	if err != nil {
		return nil, fmt.Errorf("the server did not authenticate: %w", err)
	}
	var p messages.EncAPRepPart
	if err := p.Unmarshal(plain); err != nil {
		return nil, err
	}
	if !p.CTime.Equal(h.auth.CTime) || p.Cusec != h.auth.Cusec {
		return nil, errors.New("the server did not authenticate: it returned a different time")
	}
	c := &secContext{initiator: true, key: h.auth.SubKey, send: uint64(h.auth.SeqNumber),
		receive: uint64(p.SequenceNumber)}
	if len(p.Subkey.KeyValue) > 0 {
		c.key, c.acceptorKey = p.Subkey, true
	}
	return c, checkEtype(c.key.KeyType)
}

// checkEtype rejects old encryption types, whose messages have other formats (RFC 1964, RFC 4757).
func checkEtype(id int32) error {
	if id >= 17 && id <= 20 {
		return nil
	}
	return fmt.Errorf("KDC_ERR_ETYPE_NOSUPP: the ticket has encryption type %d, but only AES (17 to 20) is supported", id)
}

// frameToken frames a token as in RFC 2743 section 3.1.
func frameToken(id uint16, body []byte) []byte {
	n := len(mechanismID) + 2 + len(body)
	b := []byte{0x60}
	switch {
	case n < 0x80:
		b = append(b, byte(n))
	case n < 0x100:
		b = append(b, 0x81, byte(n))
	case n < 0x10000:
		b = append(b, 0x82, byte(n>>8), byte(n))
	default:
		b = append(b, 0x84, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	b = append(b, mechanismID...)
	return append(binary.BigEndian.AppendUint16(b, id), body...)
}

var errToken = errors.New("damaged token")

// openToken removes a token's frame.
func openToken(b []byte) (id uint16, body []byte, err error) {
	if len(b) < 2 || b[0] != 0x60 {
		return 0, nil, errToken
	}
	n, rest := int(b[1]), b[2:]
	if n >= 0x80 {
		size := n - 0x80
		if size < 1 || size > 4 || len(rest) < size {
			return 0, nil, errToken
		}
		n = 0
		for _, c := range rest[:size] {
			n = n<<8 | int(c)
		}
		rest = rest[size:]
	}
	if n != len(rest) || len(rest) < len(mechanismID)+2 || !bytes.HasPrefix(rest, mechanismID) {
		return 0, nil, errToken
	}
	rest = rest[len(mechanismID):]
	return binary.BigEndian.Uint16(rest), rest[2:], nil
}
