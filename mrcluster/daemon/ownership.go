package daemon

import (
	"encoding/json"
	"path/filepath"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// ownership is whose node an agent's is for as long as something of a pool runs or lies there: another pool's manager would have it
// removed. It is kept on disk, for the agent that comes after this one.
type ownership struct {
	identity
	file string
}

const ownershipFile = "agent.json"

func readOwnership(dir string) (ownership, error) {
	file := filepath.Join(dir, ownershipFile)
	id, err := readIdentity(file)
	return ownership{id, file}, err
}

// mayObey tells whether the answer is that of a manager that has not been replaced, as far as is known.
func (o *ownership) mayObey(r *pool.ReportReply) bool {
	return r.GetPool() != o.Pool || r.GetIncarnation() >= o.Incarnation
}

// obey takes note of whom the node belongs to, before anything is done for that manager.
func (o *ownership) obey(r *pool.ReportReply) error {
	next := identity{r.GetPool(), r.GetIncarnation()}
	if next == o.identity {
		return nil
	}
	text, err := json.Marshal(next)
	if err == nil {
		err = writeDurably(o.file, text)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write", o.file, err)
	}
	o.identity = next
	return nil
}
