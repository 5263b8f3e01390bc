package webguard

import (
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
