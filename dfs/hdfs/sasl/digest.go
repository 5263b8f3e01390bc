package sasl

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DigestOptions identifies the user and the service of a login.
type DigestOptions struct {
	User     string       // base64 of a token's identifier, or the name of a data encryption key
	Password string       // base64 of a token's password
	Service  string       // protocol part of the digest-uri, such as "hdfs"; can be empty
	Host     string       // server part of the digest-uri: "0" on data transfer, the server's choice on RPC
	Want     []Protection // in order of preference; empty means Authentication
	Nonce    string       // cnonce; "" means a random one
}

// Digest is the client side of DIGEST-MD5 (RFC 2831) with qop auth, auth-int, and auth-conf.
type Digest struct {
	o     DigestOptions
	state digestState
	proof []byte // rspauth that the server must send
	layer Layer
}

type digestState uint8

const (
	digestStart digestState = iota
	digestAnswered
	digestDone
	digestFailed
)

// NewDigest returns the client side of a new handshake.
func NewDigest(o DigestOptions) *Digest {
	if len(o.Want) == 0 {
		o.Want = []Protection{Authentication}
	}
	if o.Nonce == "" {
		o.Nonce = rand.Text()
	}
	return &Digest{o: o}
}

// Name implements Mechanism.
func (*Digest) Name() string { return "DIGEST-MD5" }

// Done implements Mechanism.
func (d *Digest) Done() bool { return d.state == digestDone }

// Layer implements Mechanism.
func (d *Digest) Layer() Layer { return d.layer }

// Step implements Mechanism.
func (d *Digest) Step(challenge []byte) ([]byte, error) {
	var response []byte
	err := errors.New("a message after the end of the conversation")
	switch d.state {
	case digestStart:
		response, err = d.answer(challenge)
	case digestAnswered:
		err = d.check(challenge)
	}
	if err != nil {
		d.state = digestFailed
		return nil, fmt.Errorf("DIGEST-MD5: %w", err)
	}
	d.state++
	return response, nil
}

// answer returns the digest-response to the digest-challenge (section 2.1.2).
func (d *Digest) answer(challenge []byte) ([]byte, error) {
	c, err := parseDirectives(challenge)
	if err != nil {
		return nil, err
	}
	if alg := c.first("algorithm", ""); alg != "md5-sess" {
		return nil, fmt.Errorf("algorithm %q instead of md5-sess", alg)
	}
	nonce := c.first("nonce", "")
	if nonce == "" {
		return nil, errors.New("the challenge has no nonce")
	}
	p, err := Choose(d.o.Want, offered(c.list("qop", "auth")))
	if err != nil {
		return nil, err
	}
	maxSend, err := strconv.ParseUint(c.first("maxbuf", "65536"), 10, 24)
	if err != nil || maxSend <= sealOverhead {
		return nil, fmt.Errorf("maxbuf %q is not a size", c.first("maxbuf", ""))
	}
	s := digestSession{
		user: d.o.User, realm: c.first("realm", ""), password: d.o.Password,
		nonce: nonce, cnonce: d.o.Nonce, uri: d.o.Service + "/" + d.o.Host, qop: p.qop(),
	}
	var cipher string
	if p == Privacy {
		if cipher, err = chooseCipher(c.list("cipher", "")); err != nil {
			return nil, err
		}
	}
	d.proof = []byte(s.response("")) // the server's A2 has no method
	d.layer, err = newDigestLayer(p, s.ha1(), cipher, int(maxSend), true)
	return s.message(s.response("AUTHENTICATE"), cipher), err
}

// check implements section 2.1.3, in which the server proves that it also has the password.
func (d *Digest) check(challenge []byte) error {
	c, err := parseDirectives(challenge)
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(c.first("rspauth", "")), d.proof) {
		return errors.New("the server did not prove that it knows the token's password (rspauth)")
	}
	return nil
}

func offered(qops []string) Protection {
	var all Protection
	for _, x := range protections {
		if slices.Contains(qops, x.sasl) {
			all |= x.p
		}
	}
	return all
}

// digestSession contains the inputs from which both sides compute their responses.
type digestSession struct {
	user, realm, password, nonce, cnonce, uri, qop string
}

const nonceCount = "00000001" // every handshake is an initial authentication

// ha1 returns H(A1) of section 2.1.2.1, the session's secret.
func (s *digestSession) ha1() [md5.Size]byte {
	secret := md5.Sum([]byte(s.user + ":" + s.realm + ":" + s.password))
	return md5.Sum(slices.Concat(secret[:], []byte(":"+s.nonce+":"+s.cnonce)))
}

// response returns the response-value of section 2.1.2.1. For the server's response, method is
// empty.
func (s *digestSession) response(method string) string {
	a2 := method + ":" + s.uri
	if s.qop != "auth" {
		a2 += ":" + strings.Repeat("0", 32)
	}
	ha1 := s.ha1()
	return hexMD5(hex.EncodeToString(ha1[:]) + ":" + s.nonce + ":" + nonceCount + ":" + s.cnonce + ":" + s.qop + ":" +
		hexMD5(a2))
}

func hexMD5(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// message encodes the digest-response.
func (s *digestSession) message(response, cipher string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "charset=utf-8,username=%s,realm=%s,nonce=%s,nc=%s,cnonce=%s,digest-uri=%s,",
		quote(s.user), quote(s.realm), quote(s.nonce), nonceCount, quote(s.cnonce), quote(s.uri))
	fmt.Fprintf(&b, "maxbuf=%d,response=%s,qop=%s", maxReceive, response, s.qop)
	if cipher != "" {
		b.WriteString(",cipher=" + quote(cipher))
	}
	return b.Bytes()
}
