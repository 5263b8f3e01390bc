package webui

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// failureGroup contains the failed attempts with the same reason.
type failureGroup struct {
	Number   int
	Attempt  *status.Attempt // the first one
	Trackers int             // number of TaskTrackers on which they ran
}

// maxFailures is the maximum number of groups on a page.
const maxFailures = 10

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
