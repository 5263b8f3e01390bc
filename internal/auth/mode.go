package auth

import (
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
)

// Mode describes how a process is protected. Daemons log it when they start, pages end with it, and
// howdah doctor reports it.
type Mode struct {
	proof, file string // what the process presents or checks, and the file that contains it
	others      []string
}

// NewMode returns the mode of a process whose configuration is c and whose proof is p. others
// contains more facts about the process, such as "tasks as users". If p is nil, NewMode returns the
// zero Mode.
func NewMode(c *conf.Config, p *Proof, others ...string) Mode {
	if p == nil {
		return Mode{}
	}
	m := Mode{proof: "laptop secret of user " + passwd.Me() + " in", file: p.File()}
	switch {
	case p.login != nil:
		m.proof = "Kerberos login"
	case p.Token():
		m.proof = "token of " + p.Claims().Principal().String() + " in"
	case conf.SecuritySecretFile.Get(c) != "":
		m.proof = "secret file"
	}
	tls := "TLS"
	if on, err := conf.SecurityTLS.Get(c); err == nil && on == "off" {
		tls = "no TLS"
	}
	m.others = append([]string{tls, "ACLs " + onOff(&conf.ClusterACLsEnabled, c)}, others...)
	return m
}

func onOff(key *conf.Bool, c *conf.Config) string {
	if on, err := key.Get(c); err == nil && on {
		return "on"
	}
	return "off"
}

// String returns, for example, "secret file /etc/howdah/secret, no TLS, ACLs off, tasks as users".
func (m Mode) String() string {
	return strings.Join(append([]string{m.proof + " " + m.file}, m.others...), ", ")
}

// Public is like String, but omits file names. Pages use it.
func (m Mode) Public() string {
	return strings.Join(append([]string{strings.TrimSuffix(m.proof, " in")}, m.others...), ", ")
}
