package mrcluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// Spec is a request for an MR-cluster (FAW section 3.1).
type Spec struct {
	Name string `json:"name"` // unique; letters, digits, '-' and '_', at most 64
	// Core is the minimum number of core nodes m_i, at least 1.
	Core int `json:"core"`
	// Grow is what it grows by: Transient or TransientCore. 0 = as the manager has it.
	Grow Kind `json:"grow,omitempty"`
	// HDFS asks for a file system of its own. Without one, data stays where the jobs' paths say.
	HDFS bool `json:"hdfs,omitempty"`
	// Load are paths to copy from external storage before the first job runs (l^D), Save those to copy back before the nodes are
	// given up (b^D).
	Load []Copy `json:"load,omitempty"`
	Save []Copy `json:"save,omitempty"`
	// Binary is the howdah that its daemons and tasks run: version isolation. "" = the agent's own.
	Binary string `json:"binary,omitempty"`
	// Conf are settings of its daemons, "key=value".
	Conf []string `json:"conf,omitempty"`
}

// Copy is a path to copy and where to.
type Copy struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// maxReplicas is how many replicas Hadoop makes where nobody says. A small MR-cluster has fewer nodes, and there a DataNode could
// never leave.
const maxReplicas = 3

// Replicas is how many replicas blocks of its own HDFS have where nobody says otherwise: as many as it has core nodes in any case, so that
// what is loaded lies on these alone. A setting of the request wins.
func (s *Spec) Replicas() int {
	for _, kv := range slices.Backward(s.Conf) {
		if text, ok := strings.CutPrefix(kv, "dfs.replication="); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 {
				return n
			}
		}
	}
	return min(s.Core, maxReplicas)
}

// Limits of a Spec.
const (
	maxName   = 64
	maxCore   = 100_000
	maxCopies = 1000
)

// Validate says what is wrong with the request itself, whatever the pool.
func (s *Spec) Validate() error {
	bad := func(why string) error {
		return failure.New(failure.Usage, "create MR-cluster", s.Name, errors.New(why))
	}
	switch {
	case s.Name == "" || len(s.Name) > maxName || strings.ContainsFunc(s.Name, notInName):
		return bad("a name has 1 to 64 letters, digits, '-' and '_'")
	case s.Core < 1 || s.Core > maxCore:
		return bad(fmt.Sprintf("%d core nodes: want 1 to %d", s.Core, maxCore))
	case s.Grow == Core || s.Grow > TransientCore:
		return bad("it grows by transient (TR) or transient-core (TC) nodes")
	case len(s.Load)+len(s.Save) > maxCopies || len(s.Conf) > maxCopies:
		return bad(fmt.Sprintf("more than %d paths or settings", maxCopies))
	case slices.ContainsFunc(s.Load, halfCopy) || slices.ContainsFunc(s.Save, halfCopy):
		return bad("a path to load or save needs a source and a destination")
	case slices.ContainsFunc(s.Conf, func(kv string) bool { return strings.IndexByte(kv, '=') < 1 }):
		return bad("settings are key=value")
	}
	return nil
}

func halfCopy(c Copy) bool { return c.From == "" || c.To == "" }

func notInName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}
