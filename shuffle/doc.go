// Package shuffle moves map outputs to reducers.
//
// Server is the http.Handler of a TaskTracker. Run is the reducer's side: it fetches the segments of one reducer from all
// maps, within one budget of memory, and gives them as one merged sequence.
//
// A request is
//
//	GET /mapOutput?job=job_…&reduce=3&map=attempt_…,attempt_…
//	Url-Hash: base64(HMAC-SHA256(token of the job, "GET " + request URI))
//
// and the reply carries Reply-Hash, the HMAC of the Url-Hash, so that both sides know that the other one has the token.
// The body has a header (see Header) and, if its status is OK, the segment as it is stored, for each map in the order of
// the request. Status codes: 400 malformed request, 401 wrong or missing hash, 404 unknown job, 405 not a GET, 503 too
// many requests at a time.
package shuffle

import (
	"path/filepath"

	"github.com/howdah/howdah/job"
)

// OutputDir gives the directory in which a map attempt leaves file.out and file.out.index, below a TaskTracker's root for
// map outputs. Server looks there, and reducers on the same host do.
func OutputDir(root string, a job.AttemptID) string {
	return filepath.Join(root, a.Job.String(), a.String())
}
