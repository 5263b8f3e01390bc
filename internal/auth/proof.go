package auth

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/conf"
)

// KeyTokenFile is the configuration key for the file with the token that clients show.
const KeyTokenFile = "howdah.security.token.file"

// Proof is what a client shows to daemons: that it knows the secret, or that it has a token. A Proof
// is immutable.
type Proof struct {
	file   string
	claims []byte // of a token; empty for the secret
	key    []byte
}

// Proof returns the proof of whoever knows the secret. For nil, it returns nil.
func (s *Secret) Proof() *Proof {
	if s == nil {
		return nil
	}
	return &Proof{file: s.file, key: s.Key(keyRPC)}
}

// ParseToken returns the proof of whoever has a token. file is the name of its file, for messages.
// ParseToken returns ErrBadToken for a text that is no token.
func ParseToken(token, file string) (*Proof, error) {
	claims, key, err := splitToken(strings.TrimSpace(token))
	if err != nil {
		return nil, err
	}
	if _, err := parseClaims(claims); err != nil {
		return nil, err
	}
	return &Proof{file, claims, key}, nil
}

// LoadProof returns what a client with this configuration shows: the token in the file that
// [KeyTokenFile] names or, without the key, the secret that [Load] reads. If this user cannot read the
// secret, it is the token in [UsersTokenFile].
func LoadProof(c *conf.Config) (*Proof, error) {
	file := conf.SecurityTokenFile.Get(c)
	if file == "" {
		s, err := Load(c)
		if !errors.Is(err, os.ErrPermission) && !errors.Is(err, os.ErrNotExist) {
			return s.Proof(), err
		}
		file = UsersTokenFile()
		if _, missing := os.Stat(file); missing != nil {
			return nil, err
		}
	}
	p, err := readToken(file)
	switch {
	case errors.Is(err, ErrBadToken):
		return nil, c.Refuse(KeyTokenFile, fmt.Errorf("%s: %w", file, err)).
			Fix("ask an administrator for a token (howdah token create)")
	case err != nil:
		return nil, c.Refuse(KeyTokenFile, err).
			Fix(Remedy(err, "use a file of your own with mode 0600 and a token that howdah token create printed"))
	}
	return p, nil
}

func readToken(file string) (*Proof, error) {
	text, err := ReadPrivate(file, maxToken)
	if err != nil {
		return nil, err
	}
	return ParseToken(string(text), file)
}

// Latest returns the token that p's file contains now, so that a renewed token needs no restart. If the
// file contains none, or p is the secret, it returns p.
func (p *Proof) Latest() *Proof {
	if !p.Token() {
		return p
	}
	if now, err := readToken(p.file); err == nil && !bytes.Equal(now.claims, p.claims) {
		return now
	}
	return p
}

// UsersTokenFile returns the default place of a user's token, which is howdah/token in the user's
// configuration directory. It returns "" if this user has no such directory.
func UsersTokenFile() string {
	base, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "howdah", "token")
}

// File returns the name of the file that contains the secret or the token. For nil, it returns "".
func (p *Proof) File() string {
	if p == nil {
		return ""
	}
	return p.file
}

// Token reports whether p is a token.
func (p *Proof) Token() bool { return len(p.claims) > 0 }

// Claims returns what a token claims, without checking it. For the secret, the result is that of an
// administrator.
func (p *Proof) Claims() Claims {
	if !p.Token() {
		return Claims{Admin: true}
	}
	c, _ := parseClaims(p.claims) // ParseToken has parsed them before
	return c
}
