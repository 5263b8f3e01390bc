package auth

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// KeyTokenFile is the configuration key for the file with the token that clients present.
const KeyTokenFile = "howdah.security.token.file"

// Proof is what a client presents to daemons to prove that it knows the secret, or that it has a
// token or a Kerberos login. A Proof is safe for concurrent use.
type Proof struct {
	file   string
	claims []byte // of a token; empty for others
	key    []byte // empty for a login

	login   login  // nil for others
	service string // principal of the daemon to log in to; can contain _HOST
}

// Proof returns the proof that a client knows the secret. If s is nil, it returns nil.
func (s *Secret) Proof() *Proof {
	if s == nil {
		return nil
	}
	return &Proof{file: s.file, key: s.Key(keyRPC)}
}

// ParseToken returns the proof that a client has a token. file is the name of the token's file, for
// messages. ParseToken returns ErrBadToken for a text that is not a token.
func ParseToken(token, file string) (*Proof, error) {
	claims, key, err := splitToken(strings.TrimSpace(token))
	if err != nil {
		return nil, err
	}
	if _, err := parseClaims(claims); err != nil {
		return nil, err
	}
	return &Proof{file: file, claims: claims, key: key}, nil
}

// LoadProof returns what a client with this configuration presents to a service. It is the token in
// the file that [KeyTokenFile] names. Without this key, it is the user's Kerberos login if the
// configuration uses Kerberos and names the service's principal, and otherwise the secret that
// [Load] reads. A user who cannot read the secret presents the token in [UsersTokenFile]. A user
// without a ticket presents the secret in the file that [KeySecretFile] names or, if the key is not
// set, the token in UsersTokenFile.
func LoadProof(c *conf.Config, to Service) (*Proof, error) {
	switch file := conf.SecurityTokenFile.Get(c); {
	case file != "":
		return loadToken(c, file)
	case !to.expects(c):
		return loadSecret(c)
	}
	p, err := to.login(c, &conf.SecurityKerberosPrincipal, &conf.SecurityKerberosKeytab)
	switch {
	case !failure.Is(err, failure.Permission):
		return p, err
	case conf.SecuritySecretFile.Get(c) == "":
		return usersToken(c, err)
	}
	if p, failed := loadSecret(c); failed == nil {
		return p, nil
	}
	return nil, err
}

// LoadNodeProof is like LoadProof for a TaskTracker or an agent. It uses the keytab of TaskTrackers and
// never a user's ticket.
func LoadNodeProof(c *conf.Config, to Service) (*Proof, error) {
	switch file := conf.SecurityTokenFile.Get(c); {
	case file != "":
		return loadToken(c, file)
	case nodeKeytab(c) && to.expects(c):
		return to.login(c, &conf.TaskTrackerKerberosPrincipal, &conf.TaskTrackerKeytabFile)
	}
	return loadSecret(c)
}

// loadSecret returns the proof of the secret or, if this user cannot read it, the user's token.
func loadSecret(c *conf.Config) (*Proof, error) {
	s, err := Load(c)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		return usersToken(c, err)
	}
	return s.Proof(), err
}

// usersToken returns the token in [UsersTokenFile]. If that file does not exist, it returns the
// error why.
func usersToken(c *conf.Config, why error) (*Proof, error) {
	file := UsersTokenFile()
	if _, missing := os.Stat(file); missing != nil {
		return nil, why
	}
	return loadToken(c, file)
}

func loadToken(c *conf.Config, file string) (*Proof, error) {
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
// file contains no token, or p is not a token, Latest returns p.
func (p *Proof) Latest() *Proof {
	if !p.Token() {
		return p
	}
	if now, err := readToken(p.file); err == nil && !bytes.Equal(now.claims, p.claims) {
		return now
	}
	return p
}

// UsersTokenFile returns the default name of the file with a user's token: howdah/token in the
// user's configuration directory. It returns "" if this user has no such directory.
func UsersTokenFile() string {
	dir, err := usersDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "token")
}

// File returns the name of the file that contains the secret or the token. For a login, it returns the
// principal and the file with the ticket or key. If p is nil, it returns "".
func (p *Proof) File() string {
	if p == nil {
		return ""
	}
	return p.file
}

// Token reports whether p is a token.
func (p *Proof) Token() bool { return len(p.claims) > 0 }

// Secret reports whether p is the secret.
func (p *Proof) Secret() bool { return !p.Token() && p.login == nil }

// Claims returns what a token claims, without checking it. For the secret, it returns an
// administrator's claims. p must not be a login.
func (p *Proof) Claims() Claims {
	if !p.Token() {
		return Claims{Admin: true}
	}
	c, _ := parseClaims(p.claims) // ParseToken has parsed them before
	return c
}
