package auth

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

const (
	// MaxDays is the longest life of a token, in days.
	MaxDays = 3650
	// maxTokens limits the number of tokens that a ledger lists.
	maxTokens = 10_000
	// maxClaimed limits the length of a user's or node's name in a token, in bytes.
	maxClaimed = 256

	ledgerHead = "howdah tokens 1 "
)

// Issued is a token in a daemon's list.
type Issued struct {
	Claims
	Created int64  `json:"created,omitempty"` // seconds since the epoch; 0 = another daemon issued it
	By      string `json:"by,omitempty"`      // who requested it
	Revoked int64  `json:"revoked,omitempty"` // seconds since the epoch; 0 = not revoked
}

// Ledger lists the tokens that a daemon has issued or revoked. Its file contains each change
// durably before a caller sees the change. The ledger forgets expired tokens. It is safe for
// concurrent use.
type Ledger struct {
	secret *Secret
	file   string

	mu    sync.RWMutex
	list  []Issued // in order of their creation
	gone  map[string]bool
	order []string // the IDs in gone, in the order in which this ledger learned them
}

// OpenLedger reads a ledger, or creates an empty one. The error is of kind Corrupt if the file is
// damaged, or if it is missing although an earlier ledger with this secret used it. Without the
// list, revoked tokens would be valid again.
func OpenLedger(file string, s *Secret) (*Ledger, error) {
	l := &Ledger{secret: s, file: file, gone: map[string]bool{}}
	list, err := readIfAny(file)
	if err != nil {
		return nil, err
	}
	// The mark names the secret of the ledger's tokens. Older versions wrote no mark, and created the
	// ledger with the first token.
	mark, want := file+".mark", []byte(s.Fingerprint()+"\n")
	found, err := readIfAny(mark)
	if err != nil {
		return nil, err
	}
	marked := bytes.Equal(found, want)
	switch {
	case list != nil:
		err = l.parse(list)
	case marked:
		err = errors.New("the file is missing, and without it, revoked tokens would be valid again")
	}
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read the list of tokens", file, err).
			Fix("restore the file from a copy; or replace the secret, which voids all tokens, and remove the file")
	}
	if list == nil {
		if err := l.replace(nil); err != nil {
			return nil, err
		}
	}
	if marked {
		return l, nil
	}
	if err := disk.Replace(disk.OS, mark, want, 0o600); err != nil {
		return nil, failure.New(failure.KindOf(err), "write", mark, err)
	}
	return l, nil
}

// readIfAny returns the content of a file, or nil if it does not exist.
func readIfAny(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, failure.New(failure.KindOf(err), "read", file, err)
	}
	return b, nil
}

func (l *Ledger) parse(b []byte) error {
	head, body, _ := bytes.Cut(b, []byte("\n"))
	if want := ledgerHead + sumOf(body); string(head) != want {
		return errors.New("its checksum is wrong")
	}
	if err := json.Unmarshal(body, &l.list); err != nil {
		return err
	}
	for _, t := range l.list {
		if t.Revoked != 0 {
			l.void(t.ID)
		}
	}
	return nil
}

func (l *Ledger) void(id string) {
	if !l.gone[id] {
		l.gone[id] = true
		l.order = append(l.order, id)
	}
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Issue returns a new token. c names the user or the node, or makes the holder an administrator.
// The list shows by as the user who requested the token.
func (l *Ledger) Issue(c Claims, by string) (token string, err error) {
	const op = "create token"
	now := time.Now()
	life := time.Duration(c.Expires-now.Unix()) * time.Second
	switch {
	case !c.Principal().single():
		return "", failure.New(failure.Usage, op, "", errors.New("a token is for one user, one node, or an administrator"))
	case len(c.User) > maxClaimed || len(c.Node) > maxClaimed:
		return "", failure.New(failure.Usage, op, "", fmt.Errorf("the name is longer than %d bytes", maxClaimed))
	case strings.ContainsFunc(c.User+c.Node, func(r rune) bool { return r <= ' ' || r == '/' || r == 0x7f }):
		return "", failure.New(failure.Usage, op, c.User+c.Node, errors.New("the name contains spaces or slashes"))
	case c.Expires <= now.Unix() || life > MaxDays*24*time.Hour:
		return "", failure.New(failure.Usage, op, "", fmt.Errorf("a token is valid for 1 to %d days", MaxDays))
	}
	token, c.ID = l.secret.Issue(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.living(now)) >= maxTokens {
		return "", failure.New(failure.Limit, op, "", fmt.Errorf("there are %d valid tokens", maxTokens)).
			Fix("use tokens with shorter lives")
	}
	if err := l.replace(append(l.living(now), Issued{Claims: c, Created: now.Unix(), By: by})); err != nil {
		return "", err
	}
	return token, nil
}

// Lend returns a token that the ledger does not list. It is for a caller with a Kerberos login, and
// expires with the login. Like the login, it cannot be revoked.
func (l *Ledger) Lend(c Claims) string {
	token, _ := l.secret.Issue(c)
	return token
}

// List returns the tokens that have not expired, in order of their creation.
func (l *Ledger) List() []Issued {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.living(time.Now())
}

func (l *Ledger) living(now time.Time) []Issued {
	return slices.DeleteFunc(slices.Clone(l.list), func(t Issued) bool { return now.Unix() >= t.Expires })
}

// Revoke makes a token invalid. If another daemon issued the token, t must contain its expiry time.
// After Revoke has returned nil, Revoked reports true until the token expires, even after a
// restart.
func (l *Ledger) Revoke(t Claims) error {
	now := time.Now()
	if id, err := hex.DecodeString(t.ID); err != nil || len(id) != 8 {
		return failure.New(failure.Usage, "revoke token", t.ID, errors.New("this is not the ID of a token")).
			Fix("howdah token list shows the IDs")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.living(now)
	i := slices.IndexFunc(list, func(x Issued) bool { return x.ID == t.ID })
	switch {
	case i < 0 && t.Expires == 0:
		return failure.New(failure.NotFound, "revoke token", t.ID, errors.New("no such token")).
			Fix("howdah token list shows the IDs")
	case i < 0 && now.Unix() >= t.Expires:
		return nil
	case i < 0:
		list, i = append(list, Issued{Claims: t}), len(list)
	case list[i].Revoked != 0:
		return nil
	}
	list[i].Revoked = now.Unix()
	return l.replace(list)
}

// Revoked reports whether a token has been revoked.
func (l *Ledger) Revoked(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.gone[id]
}

// RevokedAfter returns the IDs of revoked tokens after the first n, which the caller already has.
// It returns at most the given number of IDs. Their order does not change until the next start.
func (l *Ledger) RevokedAfter(n uint32, most int) []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	rest := l.order[min(int64(n), int64(len(l.order))):]
	return slices.Clone(rest[:min(most, len(rest))])
}

// CheckWeb is like [Secret.CheckWeb], and returns ErrRevoked for a revoked token.
func (l *Ledger) CheckWeb(text string, use Use, place string) (Claims, time.Time, error) {
	c, end, err := l.secret.CheckWeb(text, use, place, time.Now())
	if err == nil && l.Revoked(c.ID) {
		err = ErrRevoked
	}
	if err != nil {
		return Claims{}, time.Time{}, err
	}
	return c, end, nil
}

// replace writes a new list and, once it is durable, makes it the current one. The caller holds the
// lock.
func (l *Ledger) replace(list []Issued) error {
	body, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		panic(err) // cannot happen for this type
	}
	if err := disk.Replace(disk.OS, l.file, append([]byte(ledgerHead+sumOf(body)+"\n"), body...), 0o600); err != nil {
		return failure.New(failure.KindOf(err), "write the list of tokens", l.file, err)
	}
	l.list = list
	for _, t := range list {
		if t.Revoked != 0 {
			l.void(t.ID) // expired tokens stay until the next start, which is harmless
		}
	}
	return nil
}
