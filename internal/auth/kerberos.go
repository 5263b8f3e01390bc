package auth

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/job/failure"
)

// Service is a kind of daemon to which clients can log in with Kerberos. Its principal can contain
// _HOST, which stands for the daemon's host as clients spell it.
type Service struct{ principal, keytab *conf.Text }

// The kinds of daemons to which clients can log in.
var (
	JobTracker = Service{&conf.JobTrackerKerberosPrincipal, &conf.JobTrackerKeytabFile}
	Manager    = Service{&conf.MRClusterManagerKerberosPrincipal, &conf.MRClusterManagerKeytabFile}
)

// expects reports whether clients with this configuration log in to the service with Kerberos.
func (s Service) expects(c *conf.Config) bool { return hasKerberos(c) && s.principal.Get(c) != "" }

func hasKerberos(c *conf.Config) bool { return conf.HadoopSecurityAuthentication.Get(c) == "kerberos" }

// nodeKeytab reports whether TaskTrackers and agents with this configuration log in with a keytab.
func nodeKeytab(c *conf.Config) bool {
	return hasKerberos(c) && conf.TaskTrackerKeytabFile.Get(c) != ""
}

// Laptop reports whether a daemon accepts no secret except that of the user who started it. Other
// users then need a token from this user.
func Laptop(c *conf.Config) bool {
	return conf.SecuritySecretFile.Get(c) == "" && conf.SecurityTokenFile.Get(c) == "" && !JobTracker.expects(c)
}

// OnlySecret returns a copy of c in which clients present the secret instead of a token or a
// Kerberos login, because only the secret makes them administrators. source names the origin of the
// changed settings.
func OnlySecret(c *conf.Config, source string) *conf.Config {
	c = c.Clone()
	c.Set(KeyTokenFile, "", source)
	c.Set(conf.HadoopSecurityAuthentication.Name, "simple", source)
	return c
}

// Logins admits the clients of a daemon that have a Kerberos login. A nil *Logins admits none. It
// is safe for concurrent use.
type Logins struct {
	acceptor     *kerberos.Acceptor
	rules        kerberos.Rules
	defaultRealm string
	nodes        string // principal of the TaskTrackers, without a realm; can contain _HOST
	nodesRealm   string
}

// Logins returns the Logins of a daemon of this kind. The result is nil if the configuration does not use
// Kerberos, or has neither a principal nor a keytab for the daemon. Errors are of kind Config or,
// for the keytab, of kind NotFound, Permission, or Corrupt.
func (s Service) Logins(c *conf.Config) (*Logins, error) {
	principal, keytab := s.principal.Get(c), s.keytab.Get(c)
	if !hasKerberos(c) || principal == "" && keytab == "" {
		return nil, nil
	}
	if principal == "" || keytab == "" {
		return nil, c.Refuse(s.principal.Name, errors.New("set both it and "+s.keytab.Name+", or neither"))
	}
	l := &Logins{}
	var err error
	if l.acceptor, err = kerberos.NewAcceptor(principal, keytab); err != nil {
		return nil, err
	}
	if l.rules, err = kerberos.ParseRules(conf.HadoopSecurityAuthToLocal.Get(c)); err != nil {
		return nil, c.Refuse(conf.HadoopSecurityAuthToLocal.Name, err)
	}
	if l.defaultRealm, err = kerberos.DefaultRealm(); err != nil {
		return nil, err
	}
	l.nodes, l.nodesRealm, _ = strings.Cut(conf.TaskTrackerKerberosPrincipal.Get(c), "@")
	if l.nodesRealm == "" {
		l.nodesRealm = l.defaultRealm
	}
	return l, nil
}

// Mode returns "Kerberos" if clients can log in with Kerberos, and "no Kerberos" otherwise, for
// [NewMode].
func (l *Logins) Mode() string {
	if l == nil {
		return "no Kerberos"
	}
	return "Kerberos"
}

// noLogins is the answer of a daemon that does not accept Kerberos logins. Other answers are a
// kerberos.Refusal, or 0 for a good request.
const noLogins = 0xff

// accept checks a login request and returns its sender. If it rejects the request, answer is not 0.
func (l *Logins) accept(request []byte, from net.Addr) (c kerberos.Caller, answer byte, err error) {
	var ip net.IP
	if tcp, ok := from.(*net.TCPAddr); ok {
		ip = tcp.IP
	}
	c, err = l.acceptor.Accept(request, ip)
	var refusal kerberos.Refusal
	if errors.As(err, &refusal) {
		answer = byte(refusal)
	}
	return c, answer, err
}

// claims returns the claims of a caller. For the principal of a TaskTracker, they name the
// TaskTracker's node. For any other principal, they name the user to whom the rules map it.
func (l *Logins) claims(c kerberos.Caller) (Claims, error) {
	name, realm, _ := strings.Cut(c.Principal, "@")
	if host := kerberos.MatchHost(l.nodes, name); host != "" && host != name && realm == l.nodesRealm {
		return Claims{Node: strings.ToLower(host), Expires: c.End.Unix()}, nil
	}
	user, err := l.rules.Local(c.Principal, l.defaultRealm)
	return Claims{User: user, Expires: c.End.Unix()}, err
}

// Login reports whether the claims are those of a Kerberos login. If so, end is the time at which
// the login expires.
func (c Claims) Login() (end time.Time, ok bool) {
	return time.Unix(c.Expires, 0), c.ID == "" && c.Expires != 0
}

// login is the interface that *kerberos.Login implements.
type login interface {
	Principal() string // "alice@REALM"
	String() string    // the principal, and the file with the ticket or key
	Request(ctx context.Context, service, host string) (request, key []byte, err error)
}

// login returns the proof of a client that logs in to the service with a keytab or, without one, with the
// ticket that kinit obtained.
func (s Service) login(c *conf.Config, principal, keytab *conf.Text) (*Proof, error) {
	var l *kerberos.Login
	var err error
	if file := keytab.Get(c); file != "" {
		l, err = kerberos.FromKeytab(principal.Get(c), file)
	} else {
		l, err = kerberos.FromCache()
	}
	if err != nil {
		return nil, err
	}
	return &Proof{login: l, service: s.principal.Get(c), file: l.String()}, nil
}

// request returns a login request for the daemon at addr, and the key that only the two ends know.
func (p *Proof) request(ctx context.Context, addr string) (request, key []byte, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err == nil {
		request, key, err = p.login.Request(ctx, p.service, host)
	}
	if err != nil {
		return nil, nil, err
	}
	return request, loginKey(key), nil
}

const opLogin = "log in to"

// refused returns the error that users see if the daemon at addr rejects their login with answer.
func (p *Proof) refused(addr string, answer byte) error {
	if answer == noLogins {
		return failure.New(failure.Config, opLogin, addr, errors.New("the daemon accepts no Kerberos logins")).
			Fix("set the daemon's principal and keytab in its configuration, or use a token or the secret here (" +
				conf.HadoopSecurityAuthentication.Name + "=simple)")
	}
	return kerberos.Refusal(answer).Explain(opLogin, addr+" as "+p.file)
}

// notProved and noUser return the errors that users see if a login fails although the daemon has
// accepted their ticket.
func (p *Proof) notProved(addr string) error {
	return failure.New(failure.Permission, opLogin, addr, errors.New("the daemon did not prove that it is "+p.service)).
		Fix("check the address")
}

func (p *Proof) noUser(addr string) error {
	return failure.New(failure.Permission, opLogin, addr,
		errors.New("the daemon knows no user with the principal "+p.login.Principal())).
		Fix("complete " + conf.HadoopSecurityAuthToLocal.Name + " in the daemon's configuration")
}
