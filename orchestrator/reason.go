package orchestrator

import (
	"fmt"

	"github.com/howdah/howdah/job"
)

// A reason explains a verdict or a change. It is formatted as text only for decisions.
type reason struct {
	kind reasonKind
	a, b int64
	to   job.Attempt
}

type reasonKind uint8

const (
	rest reasonKind = iota
	below
	straggles
	presses
	gives
	grows
)

func (w reason) text(r Resource) string {
	switch w.kind {
	case below:
		return fmt.Sprintf("uses %d%s, its peers %d%s", w.a, r.Unit(), w.b, r.Unit())
	case straggles:
		return fmt.Sprintf("straggles: needs %d s, its peers %d s", w.a/1000, w.b/1000)
	case presses:
		return fmt.Sprintf("uses %d%s of %d%s", w.a, r.Unit(), w.b, r.Unit())
	case grows:
		return fmt.Sprintf("uses %d%s, soon %d%s", w.a, r.Unit(), w.b, r.Unit())
	case gives:
		return fmt.Sprintf("gives to task %c_%06d of job %d", w.to.Type.Letter(), w.to.Index, w.to.Job)
	}
	return ""
}
