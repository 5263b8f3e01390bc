package webguard

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/auth"
)

const (
	// LinkLife is how long a link can be used.
	LinkLife = 10 * time.Minute
	// SessionLife is how long a browser stays logged in.
	SessionLife = 8 * time.Hour

	// maxLinks is the maximum number of links with which the holder of one token can log in within
	// LinkLife. Holders of a token can make any number of links themselves.
	maxLinks = 1000
)

// links contains links that were used, and when they expire.
type links map[string]time.Time

func (l links) sweep(now time.Time) {
	maps.DeleteFunc(l, func(_ string, end time.Time) bool { return now.After(end) })
}

// Link returns an address that logs a browser in as the holder of token and then shows the given
// page. The address can be used only once.
func Link(page *url.URL, token string) (*url.URL, error) {
	pass, err := auth.Narrow(token, auth.UseLink, auth.Place(page.Host), time.Now().Add(LinkLife))
	if err != nil {
		return nil, err
	}
	return loginPage(page, pass), nil
}

func loginPage(page *url.URL, pass string) *url.URL {
	next := page.RequestURI()
	if page.Fragment != "" {
		next += "#" + page.EscapedFragment()
	}
	query := url.Values{"token": {pass}}
	if next != "/" {
		query.Set("next", next)
	}
	return &url.URL{Scheme: page.Scheme, Host: page.Host, Path: "/login", RawQuery: query.Encode()}
}

var (
	errUsed  = errors.New("the link was already used")
	errLong  = errors.New("the link is valid for too long")
	errLinks = errors.New("too many links of this token were used in the last 10 minutes")
)

func (g *Guard) login(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return // programs that preview links send HEAD
	}
	claims, err := g.useLink(r)
	if err != nil {
		http.Error(w, "Cannot log in: "+err.Error()+`.

A link works once, on the address that it names, for 10 minutes. To create one, run:
howdah token link --url URL`, http.StatusUnauthorized)
		return
	}
	end := time.Now().Add(SessionLife)
	http.SetCookie(w, &http.Cookie{Name: g.cookie(r), Value: g.secret.Pass(claims, auth.UseSession, sessionPlace(r), end),
		Path: "/", MaxAge: int(SessionLife.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil})
	// A redirect does not suffice, because browsers do not send the cookie after a redirect if the
	// link is on another site.
	next := html.EscapeString(nextPage(r.URL.Query().Get("next")))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" "+
		"content=\"0; url=%s\">\n<title>howdah</title>\n<p><a href=\"%s\">Continue</a></p>\n", next, next)
}

// useLink returns the claims in a link and marks the link as used. If the link was, or may have
// been, used before, it returns an error.
func (g *Guard) useLink(r *http.Request) (auth.Claims, error) {
	now, link := time.Now(), r.URL.Query().Get("token")
	claims, end, err := g.check(r, link, auth.UseLink)
	switch {
	case err != nil:
		return auth.Claims{}, err
	case end.Add(-LinkLife).Unix() < g.started.Unix():
		return auth.Claims{}, errors.New("the link is older than this daemon, which does not know whether it was used")
	case end.After(now.Add(2 * LinkLife)): // the clock of the link's author can be ahead
		return auth.Claims{}, errLong
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.After(g.swept.Add(LinkLife)) {
		maps.DeleteFunc(g.used, func(_ string, l links) bool { l.sweep(now); return len(l) == 0 })
		g.swept = now
	}
	used := g.used[claims.ID]
	if used == nil {
		used = links{}
		g.used[claims.ID] = used
	}
	if len(used) >= maxLinks {
		used.sweep(now)
	}
	if _, ok := used[link]; ok {
		return auth.Claims{}, errUsed
	}
	if len(used) >= maxLinks {
		return auth.Claims{}, errLinks
	}
	used[link] = end.Add(time.Second)
	return claims, nil
}

// nextPage returns text if it is the path of a page on this daemon, and "/" otherwise.
func nextPage(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") ||
		strings.Contains(text, "\\") {
		return "/"
	}
	return text
}

// cookie returns the name of the cookie with a browser's session. Browsers share cookies among the
// ports of a host, so each daemon uses its own name.
func (g *Guard) cookie(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "howdah-" + g.secret.Fingerprint() + "-" + port
}

// session returns the claims of the logged-in user, or the zero Claims. A client on this host has
// no session if the kernel does not reveal its user, as behind a NAT. Otherwise, other users could
// use the same session.
func (g *Guard) session(r *http.Request) auth.Claims {
	if p := peerOf(r); p.owner != nil && p.owner() < 0 {
		return auth.Claims{}
	}
	for _, c := range r.CookiesNamed(g.cookie(r)) {
		claims, _, err := g.secret.CheckPass(c.Value, auth.UseSession, sessionPlace(r), time.Now())
		if claims, err = g.unlessRevoked(claims, err); err == nil {
			return claims
		}
	}
	return auth.Claims{}
}

// sessionPlace returns a text that identifies a daemon and a browser. A session is valid only for
// this pair. Other servers on the daemon's host also receive the cookie, but they cannot use it
// from another address or, if they are on this host, as another user.
func sessionPlace(r *http.Request) string {
	if p := peerOf(r); p.owner != nil {
		return fmt.Sprintf("%s from user %d of this host", r.Host, p.owner())
	}
	browser, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		browser = r.RemoteAddr
	}
	return r.Host + " from " + browser
}
