package webguard

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
)

// routes returns routes of each kind. A route says who calls it.
func routes() *http.ServeMux {
	m := http.NewServeMux()
	says := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch p := auth.From(r.Context()); {
		case p.Admin:
			io.WriteString(w, "admin")
		case p.User != "":
			io.WriteString(w, p.User)
		case p.Node != "":
			io.WriteString(w, "node")
		}
	})
	m.Handle("/admin", says)
	m.Handle("/users/", Users(says))
	m.Handle("/open", Open(says))
	return m
}

// send returns the response to a request whose sender the kernel does not know. It arrives at the
// address 192.0.2.9:50030.
func send(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	here := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 9), Port: 50030}
	h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, here)))
	return w
}

// example is the name of a daemon. A request has this Host header unless it says otherwise.
const example = "example.com"

func get(target, token string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func hour() int64 { return time.Now().Add(time.Hour).Unix() }

func TestWhoMayDoWhat(t *testing.T) {
	s := auth.NewSecret()
	h := New(s, example).Server(routes()).Handler
	issue := func(c auth.Claims) string { token, _ := s.Issue(c); return token }
	pass := func(use auth.Use, place string) string {
		return s.Pass(auth.Claims{Admin: true, Expires: hour()}, use, place, time.Now().Add(time.Minute))
	}
	stranger, _ := auth.NewSecret().Issue(auth.Claims{Admin: true, Expires: hour()})
	const ok, no, never = http.StatusOK, http.StatusUnauthorized, http.StatusForbidden
	for name, c := range map[string]struct {
		token         string
		admin, user   int
		open, healthz int
	}{
		"nobody":                {"", no, no, ok, ok},
		"nonsense":              {"nonsense", no, no, ok, ok},
		"another cluster":       {stranger, no, no, ok, ok},
		"administrator":         {issue(auth.Claims{Admin: true, Expires: hour()}), ok, ok, ok, ok},
		"expired":               {issue(auth.Claims{Admin: true, Expires: time.Now().Unix()}), no, no, ok, ok},
		"user":                  {issue(auth.Claims{User: "alice", Expires: hour()}), never, ok, ok, ok},
		"node":                  {issue(auth.Claims{Node: "n1", Expires: hour()}), never, never, ok, ok},
		"nothing":               {issue(auth.Claims{Expires: hour()}), no, no, ok, ok},
		"this request":          {pass(auth.UseRequest, "example.com"), ok, ok, ok, ok},
		"request to another":    {pass(auth.UseRequest, "example.com:1"), no, no, ok, ok},
		"link as a token":       {pass(auth.UseLink, "example.com"), no, no, ok, ok},
		"session as a token":    {pass(auth.UseSession, "example.com from 192.0.2.1"), no, no, ok, ok},
		"the secret of nobody ": {strings.Repeat("x", 5000), no, no, ok, ok},
	} {
		for path, want := range map[string]int{"/admin": c.admin, "/users/": c.user, "/users/x": c.user, "/open": c.open,
			"/healthz": c.healthz} {
			w := send(h, get(path, c.token))
			require.Equal(t, want, w.Code, "%s %s: %s", name, path, w.Body)
			require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'self'")
		}
		// Who may not use an address does not learn whether it exists.
		missing := send(h, get("/missing", c.token)).Code
		if c.admin == ok {
			require.Equal(t, http.StatusNotFound, missing)
		} else {
			require.Equal(t, c.admin, missing, name)
		}
	}
	w := send(h, get("/admin", ""))
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, "Bearer", w.Header().Get("WWW-Authenticate"))
	require.Equal(t, unknown+"\n", w.Body.String())
	require.Equal(t, "alice", send(h, get("/users/", issue(auth.Claims{User: "alice", Expires: hour()}))).Body.String())
	require.Equal(t, "ok\n", send(h, get("/healthz", "")).Body.String())
	require.Contains(t, send(h, get("/admin", stranger)).Body.String(), "not a token of this cluster")
}

// TestUsersWhoMayCall checks that a daemon shows its pages only to users who may call it.
func TestUsersWhoMayCall(t *testing.T) {
	s := auth.NewSecret()
	g := New(s, example)
	g.MayCall = func(user string) bool { return user == "alice" }
	h := g.Server(routes()).Handler
	for user, want := range map[string]int{"alice": http.StatusOK, "bob": http.StatusForbidden} {
		token, _ := s.Issue(auth.Claims{User: user, Expires: hour()})
		require.Equal(t, want, send(h, get("/users/", token)).Code)
		require.Equal(t, http.StatusForbidden, send(h, get("/admin", token)).Code)
	}
	token, _ := s.Issue(auth.Claims{Admin: true, Expires: hour()})
	require.Equal(t, http.StatusOK, send(h, get("/users/", token)).Code)
}

// TestRelay checks that a daemon's request to another has the rights of the browser that caused it,
// and is of no use elsewhere.
func TestRelay(t *testing.T) {
	s := auth.NewSecret()
	var relayed *http.Request
	m := http.NewServeMux()
	m.Handle("/", Users(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var err error
		relayed, err = Relay(r.Context(), r, &url.URL{Scheme: "http", Host: "node1:50060", Path: "/users/x"})
		require.NoError(t, err)
	})))
	first := New(s, example).Server(m).Handler
	node, other := New(s, "node1:50060").Server(routes()).Handler, New(s, "node2:50060").Server(routes()).Handler
	relay := func(c auth.Claims) *http.Request {
		token, _ := s.Issue(c)
		require.Equal(t, http.StatusOK, send(first, get("/", token)).Code)
		relayed.RemoteAddr = "192.0.2.1:1"
		return relayed
	}
	r := relay(auth.Claims{User: "alice", Expires: hour()})
	require.Equal(t, "alice", send(node, r).Body.String())
	r.URL.Path = "/admin"
	require.Equal(t, http.StatusForbidden, send(node, r).Code)
	r.Host = "node2:50060"
	require.Equal(t, http.StatusUnauthorized, send(other, r).Code)
	r = relay(auth.Claims{Admin: true, Expires: hour()})
	require.Equal(t, "admin", send(node, r).Body.String())
}

func TestWithoutASecret(t *testing.T) {
	h := New(nil, example).Server(routes()).Handler
	token, _ := auth.NewSecret().Issue(auth.Claims{Admin: true, Expires: hour()})
	for _, r := range []*http.Request{get("/admin", ""), get("/admin", token), get("/login?token="+token, "")} {
		require.Equal(t, http.StatusUnauthorized, send(h, r).Code, r.URL)
	}
}

// TestAsk checks that a daemon without the secret lets in callers that another daemon knows.
func TestAsk(t *testing.T) {
	s := auth.NewSecret()
	ledger, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), s)
	require.NoError(t, err)
	g := New(nil, example)
	g.Ask = func(_ context.Context, text string, use auth.Use, place string) (auth.Claims, time.Time, error) {
		return ledger.CheckWeb(text, use, place)
	}
	h := g.Server(routes()).Handler
	token, id := s.Issue(auth.Claims{User: "alice", Expires: hour()})
	request, err := auth.Narrow(token, auth.UseRequest, "example.com", time.Now().Add(time.Minute))
	require.NoError(t, err)
	elsewhere, err := auth.Narrow(token, auth.UseRequest, "other", time.Now().Add(time.Minute))
	require.NoError(t, err)
	link, err := Link(&url.URL{Scheme: "http", Host: example, Path: "/"}, token)
	require.NoError(t, err)
	stranger, _ := auth.NewSecret().Issue(auth.Claims{Admin: true, Expires: hour()})
	code := func(r *http.Request) int { return send(h, r).Code }
	require.Equal(t, "alice", send(h, get("/users/", token)).Body.String())
	require.Equal(t, "alice", send(h, get("/users/", request)).Body.String())
	require.Equal(t, http.StatusForbidden, code(get("/admin", request)))
	for _, bad := range []string{"", "nonsense", stranger, elsewhere, link.Query().Get("token")} {
		require.Equal(t, http.StatusUnauthorized, code(get("/users/", bad)), bad)
	}
	require.Equal(t, http.StatusUnauthorized, code(get("/login?token="+token, "")), "a token is no link")
	w := send(h, get(link.String(), ""))
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	session := get("/users/", "")
	session.AddCookie(w.Result().Cookies()[0])
	require.Equal(t, "alice", send(h, session).Body.String())
	require.Equal(t, http.StatusUnauthorized, code(get(link.String(), "")), "the link was used")
	require.NoError(t, ledger.Revoke(auth.Claims{ID: id, Expires: hour()}))
	require.Equal(t, http.StatusUnauthorized, code(get("/users/", request)))
}

func TestRevoked(t *testing.T) {
	s := auth.NewSecret()
	g := New(s, example)
	h := g.Server(routes()).Handler
	token, id := s.Issue(auth.Claims{User: "alice", Expires: hour()})
	link, err := Link(&url.URL{Scheme: "http", Host: example, Path: "/"}, token)
	require.NoError(t, err)
	again, err := Link(&url.URL{Scheme: "http", Host: example, Path: "/x"}, token)
	require.NoError(t, err)
	cookie := send(h, get(link.String(), "")).Result().Cookies()[0]
	use := func() int {
		r := get("/users/", "")
		r.AddCookie(cookie)
		return send(h, r).Code
	}
	require.Equal(t, http.StatusOK, use())
	g.Revoked = func(x string) bool { return x == id }
	require.Equal(t, http.StatusUnauthorized, use(), "the session ends with the token")
	require.Equal(t, http.StatusUnauthorized, send(h, get("/users/", token)).Code)
	require.Equal(t, http.StatusUnauthorized, send(h, get(again.String(), "")).Code)
}

func TestLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := auth.NewSecret()
		h := New(s, example).Server(routes()).Handler
		newLink := func(page string) string {
			u, err := url.Parse(page)
			require.NoError(t, err)
			token, _ := s.Issue(auth.Claims{Admin: true, Expires: time.Now().Add(SessionLife).Unix()})
			link, err := Link(u, token)
			require.NoError(t, err)
			return link.String()
		}
		link := newLink("http://example.com/jobs/x?type=map&y=%22%3E#attempts")
		require.Equal(t, http.StatusOK, send(h, httptest.NewRequest(http.MethodHead, link, nil)).Code)
		w := send(h, get(link, ""))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.Contains(t, w.Body.String(), `content="0; url=/jobs/x?type=map&amp;y=%22%3E#attempts"`)
		require.Equal(t, "same-origin", w.Header().Get("Referrer-Policy"), "other sites must not learn the link")
		cookies := w.Result().Cookies()
		require.Len(t, cookies, 1)
		c := cookies[0]
		require.True(t, c.HttpOnly)
		require.Equal(t, http.SameSiteStrictMode, c.SameSite)
		require.Equal(t, "/", c.Path)
		require.NotContains(t, w.Body.String(), c.Value)

		w = send(h, get(link, ""))
		require.Equal(t, http.StatusUnauthorized, w.Code)
		require.Contains(t, w.Body.String(), "already used")
		require.Empty(t, w.Result().Cookies())

		with := func(remote string) int {
			r := get("/admin", "")
			r.RemoteAddr = remote
			r.AddCookie(c)
			return send(h, r).Code
		}
		require.Equal(t, http.StatusOK, with("192.0.2.1:1"))
		require.Equal(t, http.StatusOK, with("192.0.2.1:2"))
		require.Equal(t, http.StatusUnauthorized, with("192.0.2.2:1"), "another computer has stolen the cookie")
		elsewhere := get("http://example.com:50030/admin", "")
		elsewhere.AddCookie(&http.Cookie{Name: c.Name + "50030", Value: c.Value})
		require.Equal(t, http.StatusUnauthorized, send(h, elsewhere).Code, "a session at another port")

		// A link is for one daemon.
		other := newLink("http://example.com:50031/")
		require.Equal(t, http.StatusForbidden, send(h, get(other, "")).Code)
		here := strings.Replace(other, ":50031", "", 1)
		require.Equal(t, http.StatusUnauthorized, send(h, get(here, "")).Code)
		old, older := newLink("http://example.com/"), newLink("http://example.com/x")
		time.Sleep(LinkLife - time.Second)
		require.Equal(t, http.StatusOK, send(h, get(old, "")).Code)
		time.Sleep(time.Second)
		require.Equal(t, http.StatusUnauthorized, send(h, get(older, "")).Code)

		// A restarted daemon does not know which links were used.
		link = newLink("http://example.com/")
		require.Equal(t, http.StatusOK, send(h, get(link, "")).Code)
		time.Sleep(time.Second)
		h = New(s, example).Server(routes()).Handler
		w = send(h, get(link, ""))
		require.Equal(t, http.StatusUnauthorized, w.Code)
		require.Contains(t, w.Body.String(), "older than this daemon")
		require.Equal(t, http.StatusOK, with("192.0.2.1:1"), "a session outlives the daemon")
		time.Sleep(SessionLife)
		require.Equal(t, http.StatusUnauthorized, with("192.0.2.1:1"))
	})
}

// TestUsedLinksAreForgotten checks that links take memory only until they expire.
func TestUsedLinksAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := auth.NewSecret()
		g := New(s, example)
		h := g.Server(routes()).Handler
		for range 3 {
			for range 10 {
				token, _ := s.Issue(auth.Claims{Admin: true, Expires: hour()})
				link, err := Link(&url.URL{Scheme: "http", Host: example, Path: "/"}, token)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, send(h, get(link.String(), "")).Code)
			}
			require.Len(t, g.used, 10)
			time.Sleep(LinkLife + 2*time.Second)
		}
	})
}

// TestVisit checks that a browser which follows a link to another daemon is there who it was here, and
// that the link is for that daemon only.
// TestManyLinks checks that the holder of a token, who can make links without a daemon, cannot fill
// the daemon's memory with links, and that links made in the same second differ.
func TestManyLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := auth.NewSecret()
		h := New(s, example).Server(routes()).Handler
		issue := func(user string) string {
			token, _ := s.Issue(auth.Claims{User: user, Expires: time.Now().Add(24 * time.Hour).Unix()})
			return token
		}
		alice, bob := issue("alice"), issue("bob")
		login := func(token string, life time.Duration) (code int, text string) {
			pass, err := auth.Narrow(token, auth.UseLink, example, time.Now().Add(life))
			require.NoError(t, err)
			w := send(h, get("http://example.com/login?token="+pass, ""))
			return w.Code, w.Body.String()
		}
		code, text := login(alice, 3*LinkLife)
		require.Equal(t, http.StatusUnauthorized, code)
		require.Contains(t, text, errLong.Error())
		for range maxLinks {
			code, text = login(alice, LinkLife)
			require.Equal(t, http.StatusOK, code, text)
		}
		code, text = login(alice, LinkLife)
		require.Equal(t, http.StatusUnauthorized, code)
		require.Contains(t, text, errLinks.Error())
		code, text = login(bob, LinkLife)
		require.Equal(t, http.StatusOK, code, text)
		time.Sleep(LinkLife + 2*time.Second)
		code, text = login(alice, LinkLife)
		require.Equal(t, http.StatusOK, code, text)
	})
}

func TestVisit(t *testing.T) {
	s := auth.NewSecret()
	visit := func(token string, trusted bool) (location string) {
		m := http.NewServeMux()
		m.Handle("/visit", Users(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			Visit(w, r, &url.URL{Scheme: "http", Host: "tt:1", Path: "/users/x", RawQuery: "a=b"}, trusted)
		})))
		here := New(s, example).Server(m).Handler
		w := send(here, get("/visit", token))
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
		location = w.Header().Get("Location")
		back := strings.Replace(location, "//tt:1/login", "//"+example+"/login", 1)
		require.NotEqual(t, http.StatusOK, send(here, get(location, "")).Code)
		require.NotEqual(t, http.StatusOK, send(here, get(back, "")).Code)
		return location
	}
	g := New(s, "tt:1")
	there := g.Server(routes()).Handler
	token, id := s.Issue(auth.Claims{User: "alice", Expires: hour()})
	login := send(there, get(visit(token, false), ""))
	require.Equal(t, http.StatusOK, login.Code, login.Body)
	require.Contains(t, login.Body.String(), `url=/users/x?a=b"`)
	r := get("http://tt:1/users/x", "")
	r.AddCookie(login.Result().Cookies()[0])
	require.Equal(t, "alice", send(there, r).Body.String())
	g.Revoked = func(x string) bool { return x == id }
	require.Equal(t, http.StatusUnauthorized, send(there, r).Code)

	admin, _ := s.Issue(auth.Claims{Admin: true, Expires: hour()})
	require.Equal(t, http.StatusOK, send(there, get(visit(admin, true), "")).Code)
	require.Equal(t, "http://tt:1/users/x?a=b", visit(admin, false), "a node chose this address")
}

func TestNextPage(t *testing.T) {
	for text, want := range map[string]string{"/jobs/x?a=b#c": "/jobs/x?a=b#c", "": "/", "//evil.example/": "/",
		"///evil.example/": "/", "/\t/evil.example/": "/",
		"http://evil.example/": "/", "/\\evil.example/": "/", "javascript:alert(1)": "/", "x": "/", "/\x7f": "/"} {
		require.Equal(t, want, nextPage(text), text)
	}
}

// TestOtherSitesSendNoCommands checks that a foreign page cannot use the session of a browser.
func TestOtherSitesSendNoCommands(t *testing.T) {
	s := auth.NewSecret()
	g := New(s, example)
	h := g.Server(routes()).Handler
	post := func(header, value string) int {
		r := httptest.NewRequest(http.MethodPost, "/admin", nil)
		r.AddCookie(&http.Cookie{Name: g.cookie(r), Value: s.Pass(auth.Claims{Admin: true, Expires: hour()},
			auth.UseSession, "example.com from 192.0.2.1", time.Now().Add(time.Hour))})
		r.Header.Set(header, value)
		return send(h, r).Code
	}
	require.Equal(t, http.StatusOK, post("Sec-Fetch-Site", "same-origin"))
	require.Equal(t, http.StatusUnauthorized, post("Sec-Fetch-Site", "cross-site"))
	require.Equal(t, http.StatusUnauthorized, post("Sec-Fetch-Site", "same-site"), "another port of this host")
	require.Equal(t, http.StatusUnauthorized, post("Origin", "http://evil.example"))
}
