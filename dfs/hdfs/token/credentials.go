package token

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/internal/vint"
)

// Credentials contains the tokens and secrets of a process or a job by alias
// (org.apache.hadoop.security.Credentials). The alias of a token is usually its service. The zero
// value is empty.
type Credentials struct {
	Tokens  map[string]Token
	Secrets map[string][]byte
}

// Add stores t under its service and replaces any existing token of that service.
func (c *Credentials) Add(t Token) {
	if c.Tokens == nil {
		c.Tokens = map[string]Token{}
	}
	c.Tokens[t.Service] = t
}

// AddAll adds those tokens and secrets of other whose alias c does not have.
func (c *Credentials) AddAll(other *Credentials) {
	for alias, t := range other.Tokens {
		if c.Tokens == nil {
			c.Tokens = map[string]Token{}
		}
		if _, ok := c.Tokens[alias]; !ok {
			c.Tokens[alias] = t
		}
	}
	for alias, s := range other.Secrets {
		if c.Secrets == nil {
			c.Secrets = map[string][]byte{}
		}
		if _, ok := c.Secrets[alias]; !ok {
			c.Secrets[alias] = s
		}
	}
}

// Find returns a token of the given kind whose service is one of services, which it tries in order.
// Like Hadoop, it compares the token's own service and ignores the alias.
func (c *Credentials) Find(kind string, services ...string) (Token, bool) {
	for _, service := range services {
		for _, alias := range slices.Sorted(maps.Keys(c.Tokens)) {
			if t := c.Tokens[alias]; t.Kind == kind && t.Service == service {
				return t, true
			}
		}
	}
	return Token{}, false
}

// The formats of a credentials file. Both begin with the magic and a byte for the format. Hadoop 3
// reads both and writes the first by default. Hadoop 2 supports only the first.
const (
	magic        = "HDTS"
	formWritable = 0
	formProto    = 1
	maxFile      = 16 << 20
)

// Encode returns the credentials in Hadoop's file format, sorted by alias. It uses the format that
// every release can read.
func (c *Credentials) Encode() []byte {
	b := append([]byte(magic), formWritable)
	b = vint.Append(b, int64(len(c.Tokens)))
	for _, alias := range slices.Sorted(maps.Keys(c.Tokens)) {
		t := c.Tokens[alias]
		b = appendText(b, alias)
		b = appendBytes(b, t.Identifier)
		b = appendBytes(b, t.Password)
		b = appendText(b, t.Kind)
		b = appendText(b, t.Service)
	}
	b = vint.Append(b, int64(len(c.Secrets)))
	for _, alias := range slices.Sorted(maps.Keys(c.Secrets)) {
		b = appendText(b, alias)
		b = appendBytes(b, c.Secrets[alias])
	}
	return b
}

// Parse decodes a credentials file of either format. The result aliases b.
func Parse(b []byte) (*Credentials, error) {
	if len(b) <= len(magic) || string(b[:len(magic)]) != magic {
		return nil, errors.New("not a credentials file: it does not begin with " + magic)
	}
	form, b := b[len(magic)], b[len(magic)+1:]
	switch form {
	case formWritable:
		return parseWritable(b)
	case formProto:
		return parseProto(b)
	}
	return nil, fmt.Errorf("credentials of version %d, but only 0 and 1 are supported", form)
}

func parseWritable(b []byte) (*Credentials, error) {
	r := reader{b: b}
	c := &Credentials{Tokens: map[string]Token{}, Secrets: map[string][]byte{}}
	for range r.count(5) { // an alias and four fields of at least one byte
		alias := r.text()
		c.Tokens[alias] = Token{Identifier: r.bytes(), Password: r.bytes(), Kind: r.text(), Service: r.text()}
	}
	for range r.count(2) {
		alias := r.text()
		c.Secrets[alias] = r.bytes()
	}
	return c, r.end()
}

// parseProto decodes a delimited CredentialsProto.
func parseProto(b []byte) (*Credentials, error) {
	message, rest, ok := pb.CutDelimited(b)
	if !ok || len(rest) != 0 {
		return nil, errors.New("damaged or truncated")
	}
	c := &Credentials{Tokens: map[string]Token{}, Secrets: map[string][]byte{}}
	r := pb.Read(message)
	for r.Next() {
		alias, t, secret, err := parseEntry(r.Bytes())
		if err != nil {
			return nil, err
		}
		switch r.Num {
		case 1:
			c.Tokens[alias] = t
		case 2:
			c.Secrets[alias] = secret
		}
	}
	return c, r.Err
}

// parseEntry decodes a CredentialsKVProto.
func parseEntry(b []byte) (alias string, t Token, secret []byte, err error) {
	r := pb.Read(b)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			alias = r.String()
		case 2:
			t, err = FromProto(r.Bytes())
		case 3:
			secret = r.Bytes()
		}
	}
	return alias, t, secret, errors.Join(err, r.Err)
}
