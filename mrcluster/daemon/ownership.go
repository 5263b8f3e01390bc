package daemon

import (
	"encoding/json"
	"path/filepath"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// ownership records which pool owns an agent's node while the node has processes or data of that
// pool. Otherwise, another pool's manager could remove them. The record is on disk so that it
// survives a restart of the agent.
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

// mayObey reports whether the agent may obey a manager's reply. It returns false if the agent has
// obeyed a later manager of the same pool.
func (o *ownership) mayObey(r *pool.ReportReply) bool {
	return r.GetPool() != o.Pool || r.GetIncarnation() >= o.Incarnation
}

// obey records the node's owner before the agent executes the owner's reply.
func (o *ownership) obey(r *pool.ReportReply) error {
	next := identity{Pool: r.GetPool(), Incarnation: r.GetIncarnation()}
	next.Sum = next.sum()
	if next == o.identity {
		return nil
	}
	text, err := json.Marshal(next)
	if err == nil {
		err = disk.Replace(disk.OS, o.file, append(text, '\n'), 0o600)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write", o.file, err)
	}
	o.identity = next
	return nil
}
