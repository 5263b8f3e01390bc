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

// Login is somebody who has a ticket, or can get one. All methods may be called concurrently. It may live as long as the process:
// a key gets a new ticket before the old one ends; a ticket cache is read again when somebody (kinit) renewed it.
type Login struct {
	principal string // "alice@REALM"
	source    source
	kdc       *client.Client // sends requests; what it remembers itself is not used

	mu     sync.Mutex
	tgt    *Ticket            // the ticket for tickets; nil until it is wanted
	issued map[string]*Ticket // by service
}

// source is where the ticket for tickets comes from.
type source interface {
	get(kdc *client.Client) (*Ticket, error)
	changed() bool // there is a newer one than get gave
	String() string
}

// Ticket lets its owner prove to one service who he is.
type Ticket struct {
	ticket     messages.Ticket
	key        types.EncryptionKey
	name       types.PrincipalName // of its owner
	realm      string
	start, end time.Time
}

// fresh says that the ticket has more than a sixth of its life left, as every library counts.
func (t *Ticket) fresh(now time.Time) bool { return t.end.Sub(now) > t.end.Sub(t.start)/6 }

// FromKeytab logs in with a key out of a keytab file. principal may have /_HOST, which becomes this machine's name, and may lack
// the realm. The KDC is asked when a ticket is needed. Errors: kind Config, and NotFound or Permission of the file.
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

// FromCache takes the ticket that kinit left: in the file that $KRB5CCNAME names, else in /tmp/krb5cc_UID. Errors: kind
// Permission where there is none, Config where it is kept in a way that only MIT's library reads.
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
	return &Login{principal: kdc.Credentials.UserName() + "@" + kdc.Credentials.Domain(), kdc: kdc, source: s, issued: map[string]*Ticket{}}
}

// Principal gives who logged in: "alice@REALM".
func (l *Login) Principal() string { return l.principal }

// String tells who logged in and by what.
func (l *Login) String() string { return l.principal + " (" + l.source.String() + ")" }

// Service completes the principal of a service on host: "nn/_HOST@REALM" becomes "nn/host@REALM". Without a realm the host's
// is taken.
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

// Ticket gives a ticket for a service ("nn/host@REALM"), from memory as long as it is good for a while. The library bounds how
// long it asks a KDC (5 s each); ctx is looked at between those. Errors: Permission (no ticket, ended, refused), Config (unknown
// principal, clocks), Unreachable (no KDC).
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
			return old, nil // the KDC is away, and this one still opens the door
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
	if home := l.kdc.Credentials.Domain(); realm != home { // another realm's door is opened by the one that trusts it
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

// exchange is a TGS exchange: a ticket for name, or tgt renewed.
func exchange(kdc *client.Client, tgt *Ticket, name, realm string, renew bool) (t *Ticket, err error) {
	defer recoverLibrary(&err)
	_, r, err := kdc.TGSREQGenerateAndExchange(types.NewPrincipalName(nametype.KRB_NT_SRV_INST, name), realm, tgt.ticket, tgt.key, renew)
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

// realmOf gives the realm of the host in a service's name, as krb5.conf maps it.
func realmOf(realms *config.Config, name, other string) string {
	_, host, _ := strings.Cut(name, "/")
	if r := realms.ResolveRealm(host); r != "" {
		return r
	}
	return other
}

// Check makes sure that there is a ticket, or that the KDC gives one for the key.
func (l *Login) Check(ctx context.Context) error {
	_, err := l.Ticket(ctx, "krbtgt/"+l.kdc.Credentials.Domain()+"@"+l.kdc.Credentials.Domain())
	return err
}
