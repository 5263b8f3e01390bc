package sasl

import (
	"crypto/hmac"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
)

const (
	maxReceive = 65536 // maximum size of a received message in bytes, which is also Java's limit
	macSize    = 10    // truncated HMAC-MD5
	trailer    = macSize + 2 + 4
	// sealOverhead is the maximum number of bytes added to a message: a block of padding and the
	// trailer.
	sealOverhead = 8 + trailer
)

// digestLayer implements sections 2.3 and 2.4 of RFC 2831. A MAC, a version, and a sequence number
// follow each message. With privacy, the message, its padding, and its MAC are encrypted.
type digestLayer struct {
	send, receive direction
	maxSend       int
}

// direction is the state of one direction of a connection.
type direction struct {
	mac    hash.Hash
	cipher sealer // nil means integrity only
	seq    uint32
	sum    [md5.Size]byte
	broken error
}

// sealer encrypts or decrypts in place. It chains its blocks across messages.
type sealer interface {
	block() int
	crypt(b []byte)
}

// newDigestLayer returns the layer of one side, or nil if the protection does not need a layer.
func newDigestLayer(p Protection, ha1 [md5.Size]byte, cipher string, maxSend int, client bool) (Layer, error) {
	if p == Authentication {
		return nil, nil
	}
	l := &digestLayer{maxSend: maxSend - sealOverhead}
	for _, d := range []struct {
		way        *direction
		fromClient bool
		encrypt    bool
	}{{&l.send, client, true}, {&l.receive, !client, false}} {
		name := "server-to-client"
		if d.fromClient {
			name = "client-to-server"
		}
		key := md5.Sum(append(ha1[:], "Digest session key to "+name+" signing key magic constant"...))
		d.way.mac = hmac.New(md5.New, key[:])
		if p == Privacy {
			// A cipher's key uses 16 bytes of H(A1). Only the weak ciphers, which are not
			// supported, use fewer.
			key := md5.Sum(append(ha1[:], "Digest H(A1) to "+name+" sealing key magic constant"...))
			var err error
			if d.way.cipher, err = newSealer(cipher, key, d.encrypt); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// MaxSend implements Layer.
func (l *digestLayer) MaxSend() int { return l.maxSend }

// Wrap implements Layer.
func (l *digestLayer) Wrap(dst, b []byte) ([]byte, error) {
	d, start := &l.send, len(dst)
	dst = append(dst, b...)
	mac := d.sign(b)
	if d.cipher != nil {
		if size := d.cipher.block(); size > 1 { // a whole block if the message is aligned
			pad := size - (len(b)+macSize)%size
			for range pad {
				dst = append(dst, byte(pad))
			}
		}
	}
	dst = append(dst, mac...)
	if d.cipher != nil {
		d.cipher.crypt(dst[start:])
	}
	dst = append(dst, 0, 1)
	dst = binary.BigEndian.AppendUint32(dst, d.seq)
	d.seq++
	return dst, nil
}

// Unwrap implements Layer.
func (l *digestLayer) Unwrap(b []byte) ([]byte, error) {
	d := &l.receive
	if d.broken != nil {
		return nil, d.broken
	}
	out, err := d.open(b)
	if err != nil {
		d.broken = fmt.Errorf("DIGEST-MD5: protected message %d: %w", d.seq, err)
		return nil, d.broken
	}
	d.seq++
	return out, nil
}

var errShort = errors.New("too short")

func (d *direction) open(b []byte) ([]byte, error) {
	if len(b) < trailer {
		return nil, errShort
	}
	body, tail := b[:len(b)-6], b[len(b)-6:]
	if version := binary.BigEndian.Uint16(tail); version != 1 {
		return nil, fmt.Errorf("type %d instead of 1", version)
	}
	if seq := binary.BigEndian.Uint32(tail[2:]); seq != d.seq {
		return nil, fmt.Errorf("the message has number %d", seq)
	}
	pad := 0
	if d.cipher != nil {
		size := d.cipher.block()
		if len(body)%size != 0 {
			return nil, errors.New("not a whole number of blocks")
		}
		d.cipher.crypt(body)
		if size > 1 {
			if len(body) <= macSize {
				return nil, errShort
			}
			if pad = int(body[len(body)-macSize-1]); pad > size || pad > len(body)-macSize {
				pad = 0 // the MAC will not match; the error must not depend on the padding
			}
		}
	}
	text, mac := body[:len(body)-macSize-pad], body[len(body)-macSize:]
	if !hmac.Equal(mac, d.sign(text)) {
		return nil, errors.New("its signature does not match")
	}
	return text, nil
}

// sign returns the MAC of b, the next message. The result is valid until the next call.
func (d *direction) sign(b []byte) []byte {
	d.mac.Reset()
	var seq [4]byte
	binary.BigEndian.PutUint32(seq[:], d.seq)
	d.mac.Write(seq[:])
	d.mac.Write(b)
	return d.mac.Sum(d.sum[:0])[:macSize]
}
