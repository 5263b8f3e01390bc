package webui

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// failureGroup contains the failed attempts with the same reason.
type failureGroup struct {
	Number   int
	Attempt  *status.Attempt // the first one
	Trackers int             // number of TaskTrackers on which they ran
	Tail     string          // end of the first attempt's standard error
	Problem  string          // why Tail is missing; "" if it is not
}

const (
	maxFailures = 10              // maximum number of groups on a page
	tailLines   = 5               // maximum number of lines of standard error in a group
	tailBytes   = 1 << 10         // maximum number of bytes of them
	tailWait    = 2 * time.Second // maximum time until a page has read all of them
)

// particular matches the parts of a reason that differ from attempt to attempt: IDs and other
// numbers.
var particular = regexp.MustCompile(`[0-9]+`)

// newFailures groups failed attempts by reason, with the most frequent reason first. Reasons that
// differ only in numbers, such as IDs and offsets, are the same.
func newFailures(attempts []*status.Attempt) []failureGroup {
	groups := map[string]*failureGroup{}
	trackers := map[[2]string]bool{}
	for _, a := range attempts {
		if a.State != job.AttemptFailed {
			continue
		}
		reason := particular.ReplaceAllString(strings.TrimSpace(a.Diagnostics), "0")
		g := groups[reason]
		if g == nil {
			g = &failureGroup{Attempt: a}
			groups[reason] = g
		}
		g.Number++
		if at := [2]string{reason, a.Tracker}; !trackers[at] {
			trackers[at] = true
			g.Trackers++
		}
		if a.ID.Compare(g.Attempt.ID) < 0 {
			g.Attempt = a
		}
	}
	var out []failureGroup
	for _, g := range groups {
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b failureGroup) int {
		return cmp.Or(cmp.Compare(b.Number, a.Number), a.Attempt.ID.Compare(b.Attempt.ID))
	})
	return out[:min(len(out), maxFailures)]
}

// withTails returns the groups with the end of the standard error of each one's first attempt. It
// reads them one after another, so that a page occupies only one of the daemon's requests for logs.
func withTails(logs Logs, r *http.Request, groups []failureGroup) []failureGroup {
	ctx, cancel := context.WithTimeout(r.Context(), tailWait)
	defer cancel()
	r = r.WithContext(ctx)
	groups = slices.Clone(groups) // other requests share the original
	for i := range groups {
		g := &groups[i]
		var err error
		if g.Tail, err = readTail(logs, r, g.Attempt); err != nil {
			g.Problem = "Standard error is unavailable: " + err.Error()
		} else if g.Tail == "" {
			g.Problem = "Standard error is empty."
		}
	}
	return groups
}

// readTail returns the last lines of an attempt's standard error, without a line end.
func readTail(logs Logs, r *http.Request, a *status.Attempt) (string, error) {
	log, from, err := logs.OpenLog(r, a, logNames[0], -tailBytes, -1)
	if err != nil {
		return "", err
	}
	defer log.Close()
	b, err := io.ReadAll(io.LimitReader(log, tailBytes))
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimRight(strings.ToValidUTF8(string(b), "\uFFFD"), " \r\n"), "\n")
	if from > 0 && len(lines) > 1 { // the first line is only the end of one
		lines = lines[1:]
	}
	return strings.Join(lines[max(len(lines)-tailLines, 0):], "\n"), nil
}
