package kerberos

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"

	"github.com/howdah/howdah/job/failure"
)

// CacheEnv is the environment variable with the path of the ticket cache.
const CacheEnv = "KRB5CCNAME"

// A keytabSource uses a key from a file to get tickets from the KDC.
type keytabSource struct{ file, name, realm string }

func (k *keytabSource) String() string { return "keytab " + k.file }
func (*keytabSource) changed() bool    { return false }

// load reads the keytab file and checks that it contains a key for the principal.
func (k *keytabSource) load() (*keytab.Keytab, error) {
	return loadKeys(k.file, k.name, k.realm, func(name, realm string) bool { return name == k.name && realm == k.realm })
}

// loadKeys reads a keytab file and checks that it contains a key for which matches returns true.
func loadKeys(file, name, realm string, matches func(name, realm string) bool) (*keytab.Keytab, error) {
	keys, err := loadKeytab(file)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read keytab", file, err)
	}
	var there []string
	for _, e := range keys.Entries {
		key := strings.Join(e.Principal.Components, "/")
		if matches(key, e.Principal.Realm) {
			return keys, nil
		}
		there = append(there, key+"@"+e.Principal.Realm)
	}
	return nil, failure.New(failure.Config, "read keytab", file,
		fmt.Errorf("the keytab has no key for %s@%s, only for %s", name, realm, strings.Join(there, ", "))).
		Fix("correct the principal or name another keytab")
}

func loadKeytab(file string) (keys *keytab.Keytab, err error) {
	defer recoverLibrary(&err)
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	keys = keytab.New()
	if err := keys.Unmarshal(b); err != nil {
		return nil, failure.New(failure.Corrupt, "parse", "", err)
	}
	return keys, nil
}

// get performs an AS exchange. It reads the keytab each time, because keys can change while daemons
// run.
func (k *keytabSource) get(kdc *client.Client) (t *Ticket, err error) {
	defer recoverLibrary(&err)
	keys, err := k.load()
	if err != nil {
		return nil, err
	}
	kdc.Credentials.WithKeytab(keys)
	request, err := messages.NewASReqForTGT(k.realm, kdc.Config, kdc.Credentials.CName())
	if err != nil {
		return nil, err
	}
	r, err := kdc.ASExchange(k.realm, request, 0)
	if err != nil {
		return nil, err
	}
	return newTicket(r.Ticket, r.DecryptedEncPart, kdc.Credentials.CName(), k.realm), nil
}

// A cacheSource uses the ticket that kinit stored in a file.
type cacheSource struct {
	file string
	seen atomic.Int64 // modification time of the file when last read
}

func (s *cacheSource) String() string { return "ticket cache " + s.file }

func (s *cacheSource) changed() bool {
	info, err := os.Stat(s.file)
	return err == nil && info.ModTime().UnixNano() != s.seen.Load()
}

// get reads the file. If the ticket is about to expire, get asks the KDC to renew it, and keeps the
// renewed ticket in memory only.
func (s *cacheSource) get(kdc *client.Client) (*Ticket, error) {
	t, err := s.read()
	if err != nil || t.fresh(time.Now()) {
		return t, err
	}
	renewed, err := exchange(kdc, t, "krbtgt/"+t.realm, t.realm, true)
	if err == nil {
		return renewed, nil
	}
	if time.Now().Before(t.end) {
		return t, nil
	}
	return nil, failure.New(failure.Permission, "use ticket of", s.file,
		fmt.Errorf("the ticket expired at %s", t.end.Local().Format(time.DateTime))).Fix("kinit")
}

func (s *cacheSource) read() (t *Ticket, err error) {
	defer recoverLibrary(&err)
	info, err := os.Stat(s.file)
	if err != nil {
		return nil, failure.New(failure.Permission, "find a Kerberos ticket in", s.file, errors.Unwrap(err)).
			Fix("run kinit, or set $" + CacheEnv + " to the ticket cache")
	}
	b, err := os.ReadFile(s.file)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read ticket cache", s.file, errors.Unwrap(err))
	}
	cache := new(credentials.CCache)
	if err := parseCache(cache, b); err != nil {
		return nil, failure.New(failure.Corrupt, "read ticket cache", s.file, err).Fix("kinit again")
	}
	s.seen.Store(info.ModTime().UnixNano())
	realm := cache.GetClientRealm()
	for _, c := range cache.GetEntries() {
		if n := c.Server.PrincipalName.NameString; len(n) != 2 || n[0] != "krbtgt" || n[1] != realm {
			continue
		}
		t := &Ticket{key: c.Key, name: cache.GetClientPrincipalName(), realm: realm, start: c.StartTime, end: c.EndTime}
		if err := t.ticket.Unmarshal(c.Ticket); err != nil {
			return nil, failure.New(failure.Corrupt, "read ticket cache", s.file, err).Fix("kinit again")
		}
		return t, nil
	}
	return nil, failure.New(failure.Permission, "find a Kerberos ticket in", s.file,
		errors.New("the cache contains no ticket-granting ticket")).Fix("kinit")
}

func cacheFile(env string) (string, error) {
	if env == "" {
		return "/tmp/krb5cc_" + strconv.Itoa(os.Getuid()), nil
	}
	kind, path, ok := strings.Cut(env, ":")
	switch {
	case !ok:
		return env, nil
	case kind == "FILE":
		return path, nil
	}
	return "", failure.New(failure.Config, "read ticket cache", env,
		fmt.Errorf("caches of kind %s are not supported", kind)).
		Fix("kinit -c FILE:/tmp/mycache and set " + CacheEnv + "=FILE:/tmp/mycache, or use a keytab")
}

// recoverLibrary converts a panic in the library to an error. The library panics on damaged data.
func recoverLibrary(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("damaged message: %v", r)
	}
}
