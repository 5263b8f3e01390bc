// Package shuffle moves map outputs to reducers.
//
// Server is the http.Handler in a TaskTracker. Run is the reducer's side. It fetches the segments
// of one reducer from all maps, within one memory budget, and returns them as one merged sequence.
//
// A request is
//
//	GET /mapOutput?job=job_…&reduce=3&map=attempt_…,attempt_…
//	Url-Hash: base64(HMAC-SHA256(token of the job, "GET " + address + " " + request URI))
//
// The address is the one that the TaskTracker has registered with the JobTracker. The response
// has a Reply-Hash header, which is the HMAC of the Url-Hash. Each side can therefore verify that
// the other has the token and that nobody has forwarded the request to another TaskTracker. The
// body contains, for each map in the order of the request, a header (see Header). If the header's
// status is OK, the stored segment follows it. The HTTP status is 400 for a malformed request, 401
// for an unknown job or a wrong hash, 405 for a method other than GET, and 503 if there are too
// many concurrent requests.
package shuffle

import (
	"path/filepath"

	"github.com/howdah/howdah/job"
)

// OutputDir returns the directory in which a map attempt stores file.out, below a TaskTracker's
// root for map outputs. Server and the reducers on the same host read the file from there.
func OutputDir(root string, a job.AttemptID) string {
	return filepath.Join(root, a.Job.String(), a.String())
}
