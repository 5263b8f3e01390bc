package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Claims is what a token claims about its holder. Exactly one of Admin, User, and Node is set.
type Claims struct {
	// ID identifies the token in lists and revocations. Issue sets it.
	ID string `json:"id"`
	// Admin makes the holder an administrator, like a client that knows the secret.
	Admin bool `json:"admin,omitempty"`
	// User is the name of the only user that the holder may act for.
	User string `json:"user,omitempty"`
	// Node is the host on which the holder may run a TaskTracker or an agent.
	Node string `json:"node,omitempty"`
	// Expires is the time at which the token expires, in seconds since the epoch.
	Expires int64 `json:"exp"`
}

// The size of a token is limited because strangers can send tokens. The limit leaves room for the
// longest names.
const (
	tokenPrefix = "howdah1."
	maxToken    = 1024
	keyToken    = "token"
)

// ErrBadToken is the error for a text that is not a token of this cluster.
var ErrBadToken = errors.New("not a token of this cluster")

// ErrExpired is the error for a token that has expired.
var ErrExpired = errors.New("the token has expired")

// ErrRevoked is the error for a token that an administrator has revoked.
var ErrRevoked = errors.New("the token has been revoked")

// encoding is the text form of a token's parts. It needs no escapes in URLs, headers, and cookies.
var encoding = base64.RawURLEncoding

// Issue returns a token with the given claims. Daemons accept everybody who has the text, until the
// token expires or is revoked. A [Ledger] also records the tokens that it issues.
func (s *Secret) Issue(c Claims) (token string, id string) {
	c.ID = newID()
	body, err := json.Marshal(c)
	if err != nil {
		panic(err) // cannot happen for this type
	}
	return tokenText(body, s.tokenKey(body)), c.ID
}

func newID() string { return random()[:16] }

func tokenText(body, key []byte) string {
	return tokenPrefix + encoding.EncodeToString(body) + "." + encoding.EncodeToString(key)
}

// tokenKey returns the part of a token that only this cluster can compute. In a handshake, it is the
// key that both ends share.
func (s *Secret) tokenKey(body []byte) []byte {
	h := hmac.New(sha256.New, s.Key(keyToken))
	h.Write(body)
	return h.Sum(nil)
}

// Check returns the claims of a token, or ErrBadToken or ErrExpired. It does not check whether the
// token has been revoked.
func (s *Secret) Check(token string, now time.Time) (Claims, error) {
	body, key, err := splitToken(token)
	if err != nil {
		return Claims{}, err
	}
	if !hmac.Equal(key, s.tokenKey(body)) {
		return Claims{}, ErrBadToken
	}
	c, err := parseClaims(body)
	if err != nil {
		return Claims{}, err
	}
	if err := c.Check(now, nil); err != nil {
		return Claims{}, err
	}
	return c, nil
}

func splitToken(token string) (body, key []byte, err error) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	left, right, ok2 := strings.Cut(rest, ".")
	if len(token) > maxToken || !ok || !ok2 {
		return nil, nil, ErrBadToken
	}
	body, err = encoding.DecodeString(left)
	if err == nil {
		key, err = encoding.DecodeString(right)
	}
	if err != nil || len(body) == 0 || len(key) != sha256.Size {
		return nil, nil, ErrBadToken
	}
	return body, key, nil
}

// parseClaims parses the claims in a token. It does not check the token's key.
func parseClaims(body []byte) (c Claims, err error) {
	if err := json.Unmarshal(body, &c); err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrBadToken, err)
	}
	if c.ID == "" || !c.Principal().single() {
		return Claims{}, ErrBadToken
	}
	return c, nil
}

// Check returns ErrExpired or ErrRevoked for the claims of a token that is no longer valid. revoked
// may be nil. The claims of a client that knows the secret have no ID and are always valid.
func (c Claims) Check(now time.Time, revoked func(id string) bool) error {
	switch {
	case c.ID == "":
		return nil
	case now.Unix() >= c.Expires:
		return ErrExpired
	case revoked != nil && revoked(c.ID):
		return ErrRevoked
	}
	return nil
}

// Principal returns the principal that a token with these claims proves.
func (c Claims) Principal() Principal { return Principal{Admin: c.Admin, User: c.User, Node: c.Node} }
