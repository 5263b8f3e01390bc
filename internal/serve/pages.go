package serve

import (
	"net/http"

	"github.com/howdah/howdah/internal/auth"
)

// asAdministrator serves the pages of a daemon with the rights of an administrator, whoever the
// visitor is.
func asAdministrator(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.ServeHTTP(w, r.WithContext(auth.With(r.Context(), auth.Principal{Admin: true})))
	})
}
