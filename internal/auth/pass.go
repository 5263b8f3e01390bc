package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Use is the purpose of a pass.
type Use string

// The uses of a pass.
const (
	// UseRequest is one HTTP request. Its place is the [Place] of the request's URL.
	UseRequest Use = "request"
	// UseLink is one login of a browser. Its place is the [Place] of the link.
	UseLink Use = "link"
	// UseSession is a session of a browser. Its place names the daemon and the browser.
	UseSession Use = "session"
)

const passPrefix = "howdah1p."

// passEncoding accepts only one text for the same bytes. Otherwise, a link that has been used would
// work again with a different text.
var passEncoding = base64.RawURLEncoding.Strict()

// Place returns the canonical form of a daemon's host and port in a URL or a Host header. It omits the
// ports that URLs omit, 80 and 443.
func Place(host string) string {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), ""
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if ip, err := netip.ParseAddr(name); err == nil {
		name = ip.Unmap().WithZone("").String()
	}
	switch {
	case port != "" && port != "80" && port != "443":
		return net.JoinHostPort(name, port)
	case strings.Contains(name, ":"):
		return "[" + name + "]"
	}
	return name
}

// Narrow turns a token into a pass, which is valid for only one use, at one place, until a given
// time. A pass does not reveal the token. Clients send passes over connections on which the server
// does not prove its identity. A stranger who has taken the port of a stopped daemon therefore gets
// nothing that another daemon accepts.
func Narrow(token string, use Use, place string, until time.Time) (string, error) {
	body, key, err := splitToken(token)
	if err != nil {
		return "", err
	}
	return pass(body, key, use, place, until), nil
}

// Pass is like [Narrow] for a token with the claims c. Claims without an ID get a new ID.
func (s *Secret) Pass(c Claims, use Use, place string, until time.Time) string {
	if c.ID == "" {
		c.ID = newID()
	}
	body, err := json.Marshal(c)
	if err != nil {
		panic(err) // cannot happen for this type
	}
	return pass(body, s.tokenKey(body), use, place, until)
}

func pass(body, key []byte, use Use, place string, until time.Time) string {
	end := strconv.FormatInt(until.Unix(), 10)
	if use == UseLink { // a daemon accepts each text once, so those of the same second must differ
		end += "-" + newID()
	}
	return passPrefix + passEncoding.EncodeToString(body) + "." + end + "." +
		passEncoding.EncodeToString(passProof(key, use, place, end))
}

func passProof(key []byte, use Use, place, end string) []byte {
	h := hmac.New(sha256.New, key)
	io.WriteString(h, "pass\x00"+string(use)+"\x00"+place+"\x00"+end)
	return h.Sum(nil)
}

// IsPass reports whether a text looks like a pass and not like a token.
func IsPass(text string) bool { return strings.HasPrefix(text, passPrefix) }

// CheckPass checks that a pass is valid now for the given use and place. It returns the claims of
// the token from which the pass was made, and the time at which the pass expires. If the pass is
// not valid, the error is ErrBadToken or ErrExpired.
func (s *Secret) CheckPass(text string, use Use, place string, now time.Time) (c Claims, until time.Time, err error) {
	rest, ok := strings.CutPrefix(text, passPrefix)
	parts := strings.Split(rest, ".")
	if len(text) > maxToken || !ok || len(parts) != 3 {
		return Claims{}, time.Time{}, ErrBadToken
	}
	body, err1 := passEncoding.DecodeString(parts[0])
	proof, err2 := passEncoding.DecodeString(parts[2])
	seconds, _, _ := strings.Cut(parts[1], "-")
	end, err3 := strconv.ParseInt(seconds, 10, 64)
	if err1 != nil || err2 != nil || err3 != nil ||
		!hmac.Equal(proof, passProof(s.tokenKey(body), use, place, parts[1])) {
		return Claims{}, time.Time{}, ErrBadToken
	}
	if now.Unix() >= end {
		return Claims{}, time.Time{}, ErrExpired
	}
	if c, err = parseClaims(body); err == nil {
		err = c.Check(now, nil)
	}
	return c, time.Unix(end, 0), err
}

// CheckWeb is like CheckPass. For [UseRequest], it also accepts a token, and returns the time at
// which the token expires.
func (s *Secret) CheckWeb(text string, use Use, place string, now time.Time) (Claims, time.Time, error) {
	if use != UseRequest || IsPass(text) {
		return s.CheckPass(text, use, place, now)
	}
	c, err := s.Check(text, now)
	return c, time.Unix(c.Expires, 0), err
}

// requestLife is how long the pass of a request is valid. It is long enough for hosts whose clocks
// differ.
const requestLife = 5 * time.Minute

// Authorize adds a proof of the sender's identity to a request. For lend, see [OwnToken].
func Authorize(r *http.Request, c *conf.Config, lend Lend) error {
	token, err := OwnToken(r.Context(), c, requestLife, lend)
	if err != nil {
		return err
	}
	p, err := Narrow(token, UseRequest, Place(r.URL.Host), time.Now().Add(requestLife))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p)
	return nil
}

// Refusal returns an error of kind Permission if a daemon has rejected a request, and nil
// otherwise. op and on describe the request's purpose. If the response contains the daemon's
// reason, Refusal reads the body.
func Refusal(op, on string, r *http.Response) error {
	switch r.StatusCode {
	case http.StatusUnauthorized:
		return failure.New(failure.Permission, op, on, errors.New("the daemon does not know who you are")).
			Fix("run this as the daemon's user, or set " + KeySecretFile + " to a copy of the daemon's secret")
	case http.StatusForbidden:
		why := "the daemon refuses the request"
		if r.Body != nil {
			if b, _ := io.ReadAll(io.LimitReader(r.Body, 4<<10)); len(b) > 0 {
				why = strings.TrimSpace(string(b))
			}
		}
		return failure.New(failure.Permission, op, on, errors.New(why))
	}
	return nil
}

// Lend gets a token from a daemon for a user with a Kerberos login. The token expires with the
// login.
type Lend func(context.Context) (string, error)

// OwnToken returns a token for the user who runs this process. If [LoadProof] finds a token,
// OwnToken returns it. For a Kerberos login, it returns the token from lend. For the secret, it
// returns an administrator's token that is valid for the given time. If the token has expired, the
// error is of kind Permission.
func OwnToken(ctx context.Context, c *conf.Config, life time.Duration, lend Lend) (string, error) {
	p, err := LoadProof(c, JobTracker)
	switch {
	case err != nil:
		return "", err
	case p.Token():
		if err := p.Claims().Check(time.Now(), nil); err != nil {
			return "", failure.New(failure.Permission, "use the token of", p.Claims().Principal().String(),
				fmt.Errorf("%w; it is in %s", err, p.File())).Fix("ask an administrator for a new token (howdah token create)")
		}
		return tokenText(p.claims, p.key), nil
	case p.login != nil && lend == nil:
		return "", failure.New(failure.Permission, "make a token for", p.login.Principal(),
			errors.New("only the JobTracker or the manager of MR-clusters can make it for a Kerberos login")).
			Fix("set " + KeyTokenFile + " to a file with the output of howdah token bearer")
	case p.login != nil:
		return lend(ctx)
	}
	s, err := Load(c)
	if err != nil {
		return "", err
	}
	token, _ := s.Issue(Claims{Admin: true, Expires: time.Now().Add(life).Unix()})
	return token, nil
}
