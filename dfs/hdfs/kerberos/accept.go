package kerberos

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/howdah/howdah/job/failure"
)

// maxSkew is the largest difference between the clocks of a client and a service.
const maxSkew = 5 * time.Minute

// maxRequest is the maximum size of a request that a client sends, in bytes. An Active Directory
// ticket lists its owner's groups and can be 48 KiB in size.
const maxRequest = 1<<16 - 1

// Request returns a message that proves the identity of l to a service on a host, and a new key
// that only the two ends share. service is a pattern for the method Service. A service accepts a
// request only once.
func (l *Login) Request(ctx context.Context, service, host string) (request, key []byte, err error) {
	full, err := l.Service(service, host)
	if err != nil {
		return nil, nil, err
	}
	t, err := l.Ticket(ctx, full)
	if err != nil {
		return nil, nil, err
	}
	return t.newRequest()
}

func (t *Ticket) newRequest() (request, key []byte, err error) {
	defer recoverLibrary(&err)
	h := handshake{ticket: t}
	if request, err = h.request(); err == nil && len(request) > maxRequest {
		err = fmt.Errorf("the ticket has %d bytes, which is too long", len(request))
	}
	return request, h.auth.SubKey.KeyValue, err
}

// An Acceptor checks the requests that clients send to a service. It is safe for concurrent use.
type Acceptor struct {
	name, realm string // the name can contain _HOST
	file        string

	mu           sync.Mutex
	seen, before map[[sha256.Size]byte]bool // hashes of requests received since turned, and in the period before
	turned       time.Time
}

// Caller is the sender of a request.
type Caller struct {
	Principal string    // "alice@REALM"
	Key       []byte    // shared only by the caller and the service
	End       time.Time // after this time, the service does not accept the caller's ticket
}

// NewAcceptor returns the Acceptor of a service whose keys are in a keytab file. Clients may call the
// service by any host name in the keytab if the principal contains /_HOST. Errors are of kind
// Config or, if they concern the file, of kind NotFound, Permission, or Corrupt.
func NewAcceptor(principal, file string) (*Acceptor, error) {
	realms, err := loadRealms(os.Getenv(ConfigEnv))
	if err != nil {
		return nil, err
	}
	name, realm, err := splitRealm(principal, realms)
	if err != nil {
		return nil, err
	}
	a := &Acceptor{name: name, realm: realm, file: file, seen: map[[sha256.Size]byte]bool{}, turned: time.Now()}
	_, err = loadKeys(file, name, realm, func(key, keyRealm string) bool {
		return keyRealm == realm && MatchHost(name, key) != ""
	})
	return a, err
}

// MatchHost returns the host in a service's name ("nn/host") if the name matches a pattern such as
// nn/_HOST or nn/host; otherwise, it returns "". The pattern "nn" matches only itself and has the
// host "nn".
func MatchHost(pattern, name string) string {
	primary, host, ok := strings.Cut(name, "/")
	want, instance, _ := strings.Cut(pattern, "/")
	switch {
	case !ok && name == pattern:
		return name
	case ok && primary == want && host != "" && !strings.Contains(host, "/") &&
		(instance == hostPattern || strings.EqualFold(instance, host)):
		return host
	}
	return ""
}

// Refusal is the reason why a service rejects a request. It is a number from section 7.5.9 of RFC
// 4120.
type Refusal byte

// Error returns the standard's text for the number.
func (r Refusal) Error() string { return errorcode.Lookup(int32(r)) }

// Explain returns the error that users see if a server rejects a request.
func (r Refusal) Explain(op, on string) *failure.Error {
	return remedied(failure.New(failure.Permission, op, on, r), r.Error())
}

// Accept checks a request and returns its sender. from is the IP address that the request came
// from. The error is a Refusal. Accept accepts a request only once.
func (a *Acceptor) Accept(request []byte, from net.IP) (c Caller, err error) {
	if c, err = a.accept(request, from); err == nil {
		return c, nil
	}
	var known messages.KRBError
	switch {
	case errors.As(err, &known) && known.ErrorCode > 0 && known.ErrorCode < 128:
		return Caller{}, Refusal(known.ErrorCode)
	case errors.Is(err, errKeytab):
		return Caller{}, Refusal(errorcode.KRB_AP_ERR_NOKEY)
	}
	return Caller{}, Refusal(errorcode.KRB_AP_ERR_MODIFIED)
}

var errKeytab = errors.New("the keytab cannot be read")

func (a *Acceptor) accept(request []byte, from net.IP) (c Caller, err error) {
	defer recoverLibrary(&err)
	id, body, err := openToken(request)
	if err == nil && id != idRequest {
		err = errToken
	}
	var r messages.APReq
	if err == nil {
		err = r.Unmarshal(body)
	}
	if err != nil {
		return Caller{}, err
	}
	refuse := func(code int32) (Caller, error) { return Caller{}, messages.KRBError{ErrorCode: code} }
	// Other services can have their keys in the same file. Anyone with such a key can forge tickets
	// for that service in any user's name.
	if r.Ticket.Realm != a.realm || MatchHost(a.name, r.Ticket.SName.PrincipalNameString()) == "" {
		return refuse(errorcode.KRB_AP_ERR_NOT_US)
	}
	keys, err := loadKeytab(a.file) // every time, because keys can change while daemons run
	if err != nil {
		return Caller{}, fmt.Errorf("%w: %w", errKeytab, err)
	}
	sealed := r.Ticket.EncPart
	if _, _, err := keys.GetEncryptionKey(r.Ticket.SName, a.realm, sealed.KVNO, sealed.EType); err != nil {
		return refuse(errorcode.KRB_AP_ERR_NOKEY)
	}
	if err := verify(&r, keys, from); err != nil {
		return Caller{}, err
	}
	if a.replayed(sha256.Sum256(r.EncryptedAuthenticator.Cipher), time.Now()) {
		return refuse(errorcode.KRB_AP_ERR_REPEAT)
	}
	// The realm in the authenticator is only the client's claim.
	owner := r.Ticket.DecryptedEncPart
	for _, part := range append(owner.CName.NameString, owner.CRealm) {
		if part == "" || strings.ContainsAny(part, "/@") { // it would look like another principal
			return refuse(errorcode.KRB_AP_ERR_BADMATCH)
		}
	}
	return Caller{Principal: owner.CName.PrincipalNameString() + "@" + owner.CRealm, Key: r.Authenticator.SubKey.KeyValue,
		End: owner.EndTime.Add(maxSkew)}, nil
}

// verify decrypts a request and checks the times, names, and addresses in it.
func verify(r *messages.APReq, keys *keytab.Keytab, from net.IP) error {
	if _, err := r.Verify(keys, maxSkew, types.HostAddressFromNetIP(from), nil); err != nil {
		return err
	}
	for _, key := range []types.EncryptionKey{r.Ticket.DecryptedEncPart.Key, r.Authenticator.SubKey} {
		if err := checkEtype(key.KeyType); err != nil || len(key.KeyValue) < 16 {
			return messages.KRBError{ErrorCode: errorcode.KRB_AP_ERR_METHOD}
		}
	}
	return nil
}

// replayed records the request whose hash is id, and reports whether it was already recorded. It
// remembers requests until their timestamps are too old.
func (a *Acceptor) replayed(id [sha256.Size]byte, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.turned) > 2*maxSkew {
		a.before, a.seen, a.turned = a.seen, map[[sha256.Size]byte]bool{}, now
	}
	again := a.seen[id] || a.before[id]
	a.seen[id] = true
	return again
}
