// Package webguard decides who may use a daemon's web pages. A [Guard] wraps a daemon's routes,
// identifies the sender of each request, and answers 401 if it cannot. Routes are for
// administrators unless they are marked with [Users] or [Open].
package webguard

import (
	"bytes"
	"context"
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/job/failure"
)

// Guard protects a daemon's HTTP server. It is safe for concurrent use.
type Guard struct {
	// TLS protects the server; nil means without TLS.
	TLS *certs.TLS
	// Revoked reports whether the token whose ID is id has been revoked; nil means that no token
	// has.
	Revoked func(id string) bool
	// MayCall reports whether a user may use the routes for users; nil means that all users may.
	MayCall func(user string) bool

	// Ask checks a token or a pass for a daemon that does not know the cluster's secret. It works
	// like auth.Ledger.CheckWeb. If Ask is nil, the guard checks tokens and passes itself.
	Ask func(ctx context.Context, text string, use auth.Use, place string) (auth.Claims, time.Time, error)

	secret  *auth.Secret // of this daemon alone if it does not know the cluster's
	names   names
	started time.Time
	sites   http.CrossOriginProtection

	mu    sync.Mutex
	used  map[string]links // by the ID of the token from which the links were made
	swept time.Time        // when expired links were last removed from used
}

// New returns a guard that accepts tokens issued with the given secret. If the secret is nil, the
// guard accepts only the tokens that Ask accepts. hosts are additional names of the daemon. A name
// without a port applies to the daemon's own port, and to URLs without a port.
func New(secret *auth.Secret, hosts ...string) *Guard {
	if secret == nil {
		secret = auth.NewSecret()
	}
	return &Guard{secret: secret, names: newNames(hosts), started: time.Now(), used: map[string]links{}}
}

type open struct{ http.Handler }

// Open marks a route that does its own access checks.
func Open(h http.Handler) http.Handler { return open{h} }

type users struct{ http.Handler }

// Users marks a route that users may also use. The handler gets the caller from [auth.From].
func Users(h http.Handler) http.Handler { return users{h} }

// Server returns a server for a daemon's routes. It adds the /healthz route, which answers "ok" to
// everybody, and the /login route, which turns a link into a session.
func (g *Guard) Server(routes *http.ServeMux) *http.Server {
	routes.Handle("GET /healthz", Open(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})))
	routes.Handle("GET /login", Open(http.HandlerFunc(g.login)))
	return &http.Server{Handler: g.protect(routes), ConnContext: withPeer, ConnState: port.ConnState,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(problems{}, "", log.LstdFlags)}
}

// problems is the writer for a server's log. It drops messages about failed TLS handshakes, because
// strangers can cause any number of them.
type problems struct{}

func (problems) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error")) {
		return len(line), nil
	}
	return log.Writer().Write(line)
}

// Listener returns a listener for the server at l, with TLS if that is on.
func (g *Guard) Listener(l net.Listener) net.Listener {
	if g.TLS == nil {
		return l
	}
	return tls.NewListener(l, g.TLS.Server(certs.Anybody))
}

// Serve serves a daemon's routes on l until ctx is done. l must be a listener of package port.
func (g *Guard) Serve(ctx context.Context, l net.Listener, routes *http.ServeMux) error {
	server := g.Server(routes)
	done := make(chan error, 1)
	go func() { done <- server.Serve(g.Listener(l)) }()
	select {
	case err := <-done:
		return failure.New(failure.IO, "serve", l.Addr().String(), err)
	case <-ctx.Done():
	}
	server.Close()
	<-done
	return nil
}

// The texts of rejections. They reveal nothing about the daemon.
const (
	unknown = `howdah does not know who sends this request.

Browser: on the daemon's host, as the user who runs the daemon or as root, open http://localhost:PORT.
From elsewhere, run "howdah token link --url URL" where the cluster's secret or your token is, and open
the link that it prints.
Program: send the header "Authorization: Bearer TOKEN". "howdah token bearer" prints a token.`
	notForYou = "You may not use this address. Some addresses are only for administrators of the cluster."
	otherHost = `The request names a host or a port that is not this daemon's.

Use the address and port at which the daemon listens, or add the host and the port in your URL to
howdah.security.web.hosts in the daemon's configuration.`
)

func (g *Guard) protect(routes *http.ServeMux) http.Handler {
	paced := port.Paced(routes) // open routes have their own deadlines
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "same-origin")
		place, ok := g.names.place(r)
		if !ok {
			http.Error(w, otherHost, http.StatusForbidden)
			return
		}
		r.Host = place // a pass is valid for a place
		route, _ := routes.Handler(r)
		if _, ok := route.(open); ok {
			routes.ServeHTTP(w, r)
			return
		}
		claims, err := g.who(r)
		p := claims.Principal()
		_, forUsers := route.(users)
		forUsers = forUsers && p.User != "" && (g.MayCall == nil || g.MayCall(p.User))
		switch {
		case err != nil:
			h.Set("WWW-Authenticate", "Bearer")
			http.Error(w, "The request is refused: "+err.Error()+".\n\n"+unknown, http.StatusUnauthorized)
		case p.Nobody():
			h.Set("WWW-Authenticate", "Bearer")
			http.Error(w, unknown, http.StatusUnauthorized)
		case !p.Admin && !forUsers:
			http.Error(w, notForYou, http.StatusForbidden)
		default:
			ctx := context.WithValue(auth.With(r.Context(), p), visitorKey{}, visitor{g, claims})
			paced.ServeHTTP(w, r.WithContext(ctx))
		}
	})
}

// who returns the claims of a request's sender. If nothing proves the sender's identity, it returns
// the zero Claims. An error says why the guard rejects the request.
func (g *Guard) who(r *http.Request) (auth.Claims, error) {
	if token, ok := bearer(r); ok {
		c, _, err := g.check(r, token, auth.UseRequest)
		return c, err
	}
	// Another site can make a browser send requests, but it cannot add a token to them.
	if err := g.sites.Check(r); err != nil {
		return auth.Claims{}, err
	}
	if c := g.session(r); !c.Principal().Nobody() {
		return c, nil
	}
	if !peerOf(r).trusted() {
		return auth.Claims{}, nil
	}
	return auth.Claims{Admin: true, Expires: time.Now().Add(SessionLife).Unix()}, nil
}

// bearer returns the token in a request's Authorization header.
func bearer(r *http.Request) (token string, ok bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer")
}

// ChangeHeader is the header of a change that a page of the daemon itself requests. Its value does
// not matter. A browser lets no other site add it.
const ChangeHeader = "X-Howdah-Change"

// Deliberate reports whether the sender of a request has proved that another site did not make a
// browser send it: with a token, or with ChangeHeader. A guard must have admitted the request.
func Deliberate(r *http.Request) bool {
	_, token := bearer(r)
	return token || r.Header.Get(ChangeHeader) != ""
}

// check returns the claims of text, which is a token or a pass, and the time at which it expires.
// text must be valid for use and for the address in the request.
func (g *Guard) check(r *http.Request, text string, use auth.Use) (c auth.Claims, end time.Time, err error) {
	if g.Ask != nil {
		return g.Ask(r.Context(), text, use, r.Host)
	}
	c, end, err = g.secret.CheckWeb(text, use, r.Host, time.Now())
	c, err = g.unlessRevoked(c, err)
	return c, end, err
}

func (g *Guard) unlessRevoked(c auth.Claims, err error) (auth.Claims, error) {
	if err == nil && g.Revoked != nil && g.Revoked(c.ID) {
		err = auth.ErrRevoked
	}
	if err != nil {
		return auth.Claims{}, err
	}
	return c, nil
}
