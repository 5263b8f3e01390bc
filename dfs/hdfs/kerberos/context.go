package kerberos

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/types"
)

// A secContext is an established security context. Its messages are the Wrap tokens of RFC 4121
// section 4.2.6.2.
type secContext struct {
	initiator     bool // this side initiated
	key           types.EncryptionKey
	acceptorKey   bool   // key comes from the acceptor
	send, receive uint64 // sequence numbers of the next tokens
}

// The first 16 bytes of a token: identifier, flags, filler, extra count, right rotation count,
// sequence number.
const (
	wrapID     = 0x0504
	wrapHeader = 16

	fromAcceptor = 1
	sealed       = 2
	acceptorsKey = 4

	// Key usages (section 2). Wrap tokens use these two, whether encrypted or not.
	sealByAcceptor  = 22
	sealByInitiator = 24
)

func (c *secContext) flags(byAcceptor bool) byte {
	var f byte
	if byAcceptor {
		f |= fromAcceptor
	}
	if c.acceptorKey {
		f |= acceptorsKey
	}
	return f
}

func usage(byAcceptor bool) uint32 {
	if byAcceptor {
		return sealByAcceptor
	}
	return sealByInitiator
}

// wrap appends the wrap token for b to dst. If seal is set, wrap encrypts b.
func (c *secContext) wrap(dst, b []byte, seal bool) ([]byte, error) {
	etype, err := crypto.GetEtype(c.key.KeyType)
	if err != nil {
		return nil, err
	}
	flags := c.flags(!c.initiator)
	if seal {
		flags |= sealed
	}
	start := len(dst)
	dst = append(dst, wrapID>>8, wrapID&0xff, flags, 0xff, 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint64(dst, c.send)
	c.send++
	head := dst[start : start+wrapHeader : start+wrapHeader]
	plain := append(append(make([]byte, 0, len(b)+wrapHeader), b...), head...)
	if seal {
		_, secret, err := etype.EncryptMessage(c.key.KeyValue, plain, usage(!c.initiator))
		if err != nil {
			return nil, err
		}
		return append(dst, secret...), nil
	}
	sum, err := etype.GetChecksumHash(c.key.KeyValue, plain, usage(!c.initiator))
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint16(head[4:], uint16(len(sum))) // the checksum was computed with zero here
	return append(append(dst, b...), sum...), nil
}

// unwrap returns the message in b, the peer's next token. If seal is set, the token must be
// encrypted. unwrap can change b.
func (c *secContext) unwrap(b []byte, seal bool) ([]byte, error) {
	if len(b) < wrapHeader {
		return nil, errToken
	}
	head, body := b[:wrapHeader:wrapHeader], b[wrapHeader:]
	flags, extra := head[2], int(binary.BigEndian.Uint16(head[4:]))
	rotated, seq := int(binary.BigEndian.Uint16(head[6:])), binary.BigEndian.Uint64(head[8:])
	want := c.flags(c.initiator)
	switch {
	case binary.BigEndian.Uint16(head) != wrapID || head[3] != 0xff:
		return nil, errToken
	case flags&^byte(sealed) != want:
		return nil, fmt.Errorf("token with flags %02x", flags)
	case seal && flags&sealed == 0:
		return nil, errors.New("the token is not encrypted")
	case seq&math.MaxUint32 != c.receive&math.MaxUint32:
		return nil, fmt.Errorf("token %d instead of %d", seq, c.receive)
	}
	etype, err := crypto.GetEtype(c.key.KeyType)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		rotateLeft(body, rotated%len(body))
	}
	if flags&sealed != 0 {
		body, err = crypto.DecryptMessage(body, c.key, usage(c.initiator))
		if err != nil {
			return nil, err
		}
		// Encrypted data ends with a copy of the header from before the rotation.
		n := len(body) - wrapHeader
		if n < extra {
			return nil, errToken
		}
		copy := body[n:]
		binary.BigEndian.PutUint16(head[6:], 0)
		if string(copy) != string(head) {
			return nil, errors.New("the token's header was changed")
		}
		c.receive++
		return body[:n-extra], nil
	}
	size := etype.GetHMACBitLength() / 8
	if extra != size || len(body) < size {
		return nil, errToken
	}
	text, sum := body[:len(body)-size], body[len(body)-size:]
	binary.BigEndian.PutUint32(head[4:], 0)
	expected, err := etype.GetChecksumHash(c.key.KeyValue, append(append(make([]byte, 0, len(text)+wrapHeader), text...),
		head...), usage(c.initiator))
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(sum, expected) {
		return nil, errors.New("the token's checksum does not match")
	}
	c.receive++
	return text, nil
}

// rotateLeft undoes a right rotation of b by n bytes.
func rotateLeft(b []byte, n int) {
	if n == 0 {
		return
	}
	head := append([]byte(nil), b[:n]...)
	copy(b[copy(b, b[n:]):], head)
}
