package kerberos

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// A Login is a principal that has a ticket or can get one. It is safe for concurrent use and can
// live as long as the process. With a key, it gets a new ticket before the old one expires. With a
// ticket cache, it rereads the cache after kinit renews the ticket.
type Login struct {
	principal string // "alice@REALM"
	source    source
	kdc       *client.Client // sends requests; its cache is unused

	mu     sync.Mutex
	tgt    *Ticket            // ticket-granting ticket; nil until needed
	issued map[string]*Ticket // by service
}

// A source provides the ticket-granting ticket.
type source interface {
	get(kdc *client.Client) (*Ticket, error)
	changed() bool // reports whether there is a newer ticket than the last one from get
	String() string
}

// A Ticket authenticates its owner to one service.
type Ticket struct {
	ticket     messages.Ticket
	key        types.EncryptionKey
	name       types.PrincipalName // the owner's name
	realm      string
	start, end time.Time
}

// fresh reports whether more than a sixth of the ticket's lifetime is left.
func (t *Ticket) fresh(now time.Time) bool { return t.end.Sub(now) > t.end.Sub(t.start)/6 }

// FromKeytab returns the Login of a principal whose key is in a keytab file. principal may contain
// /_HOST, which FromKeytab replaces with this machine's name, and may lack the realm. The Login
// requests a ticket from the KDC when it needs one. Errors are of kind Config or, if they concern
// the file, of kind NotFound, Permission, or Corrupt.
func FromKeytab(principal, file string) (*Login, error) {
	realms, err := loadRealms(os.Getenv(ConfigEnv))
	if err != nil {
		return nil, err
	}
	name, realm, err := splitPrincipal(principal, realms)
	if err != nil {
		return nil, err
	}
	k := &keytabSource{file: file, name: name, realm: realm}
	keys, err := k.load()
	if err != nil {
		return nil, err
	}
	return newLogin(client.NewWithKeytab(name, realm, keys, realms, client.DisablePAFXFAST(true)), k), nil
}

// FromCache returns a Login with the ticket that kinit stored in the file named by $KRB5CCNAME or,
// if that is unset, in /tmp/krb5cc_UID. It returns an error of kind Permission if there is no
// ticket. The error is of kind Config if $KRB5CCNAME names a cache that is not a file.
func FromCache() (*Login, error) {
	realms, err := loadRealms(os.Getenv(ConfigEnv))
	if err != nil {
		return nil, err
	}
	file, err := cacheFile(os.Getenv(CacheEnv))
	if err != nil {
		return nil, err
	}
	s := &cacheSource{file: file}
	t, err := s.read()
	if err != nil {
		return nil, err
	}
	return newLogin(client.NewWithPassword(t.name.PrincipalNameString(), t.realm, "", realms), s), nil
}

func newLogin(kdc *client.Client, s source) *Login {
	return &Login{principal: kdc.Credentials.UserName() + "@" + kdc.Credentials.Domain(), kdc: kdc, source: s,
		issued: map[string]*Ticket{}}
}

// Principal returns the principal: "alice@REALM".
func (l *Login) Principal() string { return l.principal }

// String returns the principal and the source of its ticket.
func (l *Login) String() string { return l.principal + " (" + l.source.String() + ")" }

// Service completes the principal of a service on host: "nn/_HOST@REALM" becomes "nn/host@REALM".
// If the pattern has no realm, Service adds the host's realm according to krb5.conf, or else the
// realm of l.
func (l *Login) Service(pattern, host string) (string, error) {
	name, realm, _ := strings.Cut(pattern, "@")
	name, err := expandHost(name, host)
	if err != nil {
		return "", err
	}
	if realm == "" {
		realm = realmOf(l.kdc.Config, name, l.kdc.Credentials.Domain())
	}
	return name + "@" + realm, nil
}

// Ticket returns a ticket for a service ("nn/host@REALM"). It keeps the ticket in memory while the
// ticket is fresh. If it cannot get a new ticket, it returns the old one if that is still valid.
// The library can wait for several seconds for each KDC, and the end of ctx does not interrupt that
// wait. Errors are usually of kind Permission (no ticket, expired, rejected), Config (unknown
// principal, clocks), or Unreachable (no KDC).
func (l *Login) Ticket(ctx context.Context, service string) (*Ticket, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tgt != nil && l.source.changed() {
		l.tgt = nil
		clear(l.issued)
	}
	now := time.Now()
	if t := l.issued[service]; t != nil && t.fresh(now) {
		return t, nil
	}
	t, err := l.ask(ctx, service, now)
	if err != nil {
		if old := l.issued[service]; old != nil && now.Before(old.end) {
			return old, nil // no new ticket, but this one is still valid
		}
		return nil, explain(err, l, service)
	}
	l.issued[service] = t
	return t, nil
}

func (l *Login) ask(ctx context.Context, service string, now time.Time) (*Ticket, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.tgt == nil || !l.tgt.fresh(now) {
		t, err := l.source.get(l.kdc)
		if err != nil && (l.tgt == nil || now.After(l.tgt.end)) {
			return nil, err
		}
		if err == nil {
			l.tgt = t
		}
	}
	name, realm, _ := strings.Cut(service, "@")
	tgt := l.tgt
	if home := l.kdc.Credentials.Domain(); realm != home {
		// The realm of l issues a ticket for the other realm, which must trust it.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if tgt, err = exchange(l.kdc, tgt, "krbtgt/"+realm, home, false); err != nil {
			return nil, err
		}
	}
	return exchange(l.kdc, tgt, name, realm, false)
}

// exchange performs a TGS exchange. It returns a ticket for name or, if renew is set, a renewed
// tgt.
func exchange(kdc *client.Client, tgt *Ticket, name, realm string, renew bool) (t *Ticket, err error) {
	defer recoverLibrary(&err)
	_, r, err := kdc.TGSREQGenerateAndExchange(types.NewPrincipalName(nametype.KRB_NT_SRV_INST, name), realm, tgt.ticket,
		tgt.key, renew)
	if err != nil {
		return nil, err
	}
	p := r.DecryptedEncPart
	return newTicket(r.Ticket, p, tgt.name, tgt.realm), nil
}

func newTicket(t messages.Ticket, p messages.EncKDCRepPart, name types.PrincipalName, realm string) *Ticket {
	start := p.StartTime
	if start.IsZero() {
		start = p.AuthTime
	}
	return &Ticket{ticket: t, key: p.Key, name: name, realm: realm, start: start, end: p.EndTime}
}

// realmOf returns the realm that krb5.conf assigns to the host in a service's name, or other if
// krb5.conf assigns none.
func realmOf(realms *config.Config, name, other string) string {
	_, host, _ := strings.Cut(name, "/")
	if r := realms.ResolveRealm(host); r != "" {
		return r
	}
	return other
}

// Check returns an error if the Login cannot get a ticket.
func (l *Login) Check(ctx context.Context) error {
	_, err := l.Ticket(ctx, "krbtgt/"+l.kdc.Credentials.Domain()+"@"+l.kdc.Credentials.Domain())
	return err
}
