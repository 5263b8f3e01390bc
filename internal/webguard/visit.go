package webguard

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/howdah/howdah/internal/auth"
)

// visitor is the sender of a request.
type visitor struct {
	guard  *Guard
	claims auth.Claims
}

type visitorKey struct{}

// Visit redirects a browser to a page of another daemon, and logs it in there with its current
// identity. The other daemon must belong to the cluster. trusted means that a holder of the secret
// has reported that daemon's address. If trusted is not set, Visit does not log in administrators.
// Without a guard, or if the guard does not know the cluster's secret, Visit only redirects.
func Visit(w http.ResponseWriter, r *http.Request, page *url.URL, trusted bool) {
	if v, ok := r.Context().Value(visitorKey{}).(visitor); ok && v.guard.Ask == nil && (trusted || !v.claims.Admin) {
		pass := v.guard.secret.Pass(v.claims, auth.UseLink, auth.Place(page.Host), time.Now().Add(LinkLife))
		page = loginPage(page, pass)
	}
	http.Redirect(w, r, page.String(), http.StatusSeeOther)
}

// Relay returns a request for an address of another daemon with the rights of the sender of r. The
// other daemon must belong to the cluster, and a holder of the secret must have reported its
// address. Without a guard, or if the guard does not know the cluster's secret, the request has no
// rights. The request ends with ctx.
func Relay(ctx context.Context, r *http.Request, to *url.URL) (*http.Request, error) {
	out, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, err
	}
	if v, ok := r.Context().Value(visitorKey{}).(visitor); ok && v.guard.Ask == nil {
		pass := v.guard.secret.Pass(v.claims, auth.UseRequest, auth.Place(to.Host), time.Now().Add(LinkLife))
		out.Header.Set("Authorization", "Bearer "+pass)
	}
	return out, nil
}

// LogStartHeader is the header of a log's part in which a TaskTracker says at which byte of the log
// the part starts.
const LogStartHeader = "X-Howdah-Log-Start"
