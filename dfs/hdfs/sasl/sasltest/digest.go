// Package sasltest is the server side of DIGEST-MD5, for tests. It shares no code with the client
// side, and thus no bugs. Start with Digest.
package sasltest

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
)

// Digest is a server with a single user.
type Digest struct {
	User, Password string
	URI            string // "hdfs/0"
	QOP            string // the only protection offered: "auth", "auth-int" or "auth-conf"

	secret    [md5.Size]byte
	sent, got uint32
	out, in   *rc4.Cipher
}

const nonce = "server-nonce"

// Challenge returns the first message.
func (d *Digest) Challenge() []byte {
	return []byte(`realm="default",nonce="` + nonce + `",qop="` + d.QOP +
		`",charset=utf-8,algorithm=md5-sess,cipher="3des,rc4"`)
}

var field = regexp.MustCompile(`([a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^,]*))`)

// Check verifies the client's answer and returns the last message.
func (d *Digest) Check(answer []byte) ([]byte, error) {
	f := map[string]string{}
	for _, m := range field.FindAllStringSubmatch(string(answer), -1) {
		f[m[1]] = m[2] + m[3]
	}
	want := map[string]string{"username": d.User, "realm": "default", "nonce": nonce, "nc": "00000001",
		"digest-uri": d.URI, "qop": d.QOP}
	for k, v := range want {
		if f[k] != v {
			return nil, fmt.Errorf("%s is %q instead of %q", k, f[k], v)
		}
	}
	first := md5.Sum([]byte(d.User + ":default:" + d.Password))
	d.secret = md5.Sum([]byte(string(first[:]) + ":" + nonce + ":" + f["cnonce"]))
	if f["response"] != d.proof("AUTHENTICATE:", f["cnonce"]) {
		return nil, errors.New("wrong password")
	}
	if d.QOP == "auth-conf" {
		if f["cipher"] != "rc4" {
			return nil, fmt.Errorf("cipher %q", f["cipher"])
		}
		d.in, d.out = d.cipher("client-to-server"), d.cipher("server-to-client")
	}
	return []byte("rspauth=" + d.proof(":", f["cnonce"])), nil
}

func (d *Digest) proof(a2, cnonce string) string {
	if a2 += d.URI; d.QOP != "auth" {
		a2 += ":00000000000000000000000000000000"
	}
	return hash(hex.EncodeToString(d.secret[:]) + ":" + nonce + ":00000001:" + cnonce + ":" + d.QOP + ":" + hash(a2))
}

func hash(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

func (d *Digest) cipher(way string) *rc4.Cipher {
	key := md5.Sum([]byte(string(d.secret[:]) + "Digest H(A1) to " + way + " sealing key magic constant"))
	c, err := rc4.NewCipher(key[:])
	if err != nil {
		panic(err)
	}
	return c
}

func (d *Digest) mac(way string, seq uint32, b []byte) []byte {
	key := md5.Sum([]byte(string(d.secret[:]) + "Digest session key to " + way + " signing key magic constant"))
	h := hmac.New(md5.New, key[:])
	_ = binary.Write(h, binary.BigEndian, seq) // a hash never returns an error
	h.Write(b)
	return h.Sum(nil)[:10]
}

// Wrap protects a message to the client.
func (d *Digest) Wrap(b []byte) []byte {
	out := append(append([]byte(nil), b...), d.mac("server-to-client", d.sent, b)...)
	if d.out != nil {
		d.out.XORKeyStream(out, out)
	}
	out = binary.BigEndian.AppendUint32(append(out, 0, 1), d.sent)
	d.sent++
	return out
}

// Unwrap opens a message from the client.
func (d *Digest) Unwrap(b []byte) ([]byte, error) {
	if len(b) < 16 || binary.BigEndian.Uint32(b[len(b)-4:]) != d.got {
		return nil, errors.New("wrong number")
	}
	body := append([]byte(nil), b[:len(b)-6]...)
	if d.in != nil {
		d.in.XORKeyStream(body, body)
	}
	text, mac := body[:len(body)-10], body[len(body)-10:]
	if !hmac.Equal(mac, d.mac("client-to-server", d.got, text)) {
		return nil, errors.New("wrong signature")
	}
	d.got++
	return text, nil
}
