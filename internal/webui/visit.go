package webui

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job/failure"
)

// visitLink returns a link to this daemon. The link logs the browser in at another daemon and shows
// a page there. parts are the parts of the page's URL, which needs no scheme.
func visitLink(parts ...string) string {
	return "/visit?to=" + url.QueryEscape(strings.Join(parts, ""))
}

// visit handles the links that visitLink creates. find reports whether a daemon at a host:port
// belongs to the cluster, and whether a holder of the secret has reported its address. visit does
// not give login credentials to other servers.
func visit(home string, find func(ctx context.Context, host string) (ok, trusted bool, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text := r.FormValue("to")
		to, err := url.Parse(text)
		if err != nil || to.Scheme != "" && to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			fail(w, home, failure.New(failure.Usage, "read parameter", "to", err))
			return
		}
		if to.Scheme = "http"; r.TLS != nil { // all daemons of a cluster use TLS, or none
			to.Scheme = "https"
		}
		ok, trusted, err := find(r.Context(), to.Host)
		if err == nil && !ok {
			err = failure.New(failure.NotFound, "find daemon", to.Host, nil)
		}
		if err != nil {
			fail(w, home, err)
			return
		}
		webguard.Visit(w, r, to, trusted)
	}
}
