package port

import (
	"net/http"

	"github.com/howdah/howdah/job/failure"
)

// Status returns the HTTP status for an error of the given kind.
func Status(k failure.Kind) int {
	switch k {
	case failure.Usage, failure.Config:
		return http.StatusBadRequest
	case failure.NotFound:
		return http.StatusNotFound
	case failure.Permission:
		return http.StatusForbidden
	case failure.Exists, failure.Stale:
		return http.StatusConflict
	case failure.Limit:
		return http.StatusTooManyRequests
	case failure.Unreachable, failure.Timeout:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
