package mrcluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// A Spec is a request for an MR-cluster (FAW section 3.1).
type Spec struct {
	Name string `json:"name"` // unique; at most 64 letters, digits, '-', and '_'
	// Core is the number of core nodes m_i, at least 1. It is the minimum share of the MR-cluster.
	Core int `json:"core"`
	// Grow is the kind of the nodes that the MR-cluster adds when it grows: Transient or
	// TransientCore. 0 means the manager's default.
	Grow Kind `json:"grow,omitempty"`
	// HDFS requests a separate HDFS for the MR-cluster. Otherwise, jobs use the file systems of
	// their paths.
	HDFS bool `json:"hdfs,omitempty"`
	// Load lists paths to copy from external storage before the first job runs (l^D). Save lists
	// paths to copy back before the MR-cluster releases its nodes (b^D).
	Load []Copy `json:"load,omitempty"`
	Save []Copy `json:"save,omitempty"`
	// Binary is the path of the howdah program for the daemons and tasks, so that MR-clusters can
	// run different versions. "" means the agent's own program.
	Binary string `json:"binary,omitempty"`
	// Conf lists settings for the daemons, each as "key=value".
	Conf []string `json:"conf,omitempty"`
	// User is the owner of the MR-cluster. Agents copy files with this user's permissions. "" means a
	// request from an older version, which agents that run as root do not trust. Such an MR-cluster
	// belongs to the manager's user.
	User string `json:"user,omitempty"`
}

// Copy is a source path and its target.
type Copy struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// maxReplicas is Hadoop's default replication. A small MR-cluster has fewer nodes, and with that
// many replicas its DataNodes could never leave.
const maxReplicas = 3

// Replicas returns the default replication of the MR-cluster's own HDFS. It is at most the number
// of core nodes, so that the core nodes can store all replicas. If the request's settings contain a
// positive dfs.replication, Replicas returns the last such value instead.
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

// Users returns the list of users and groups that may use the MR-cluster in addition to
// administrators. It consists of the owner and the request's last setting of
// conf.SecurityJobClientProtocolACL. If the request does not name an owner, me is the owner.
func (s *Spec) Users(me string) string {
	list := ""
	for _, kv := range s.Conf {
		if text, ok := strings.CutPrefix(kv, conf.SecurityJobClientProtocolACL.Name+"="); ok {
			list = text
		}
	}
	if strings.TrimSpace(list) == "*" {
		return "*"
	}
	return cmp.Or(s.User, me) + "," + list // the groups follow the first space
}

// Limits of a Spec.
const (
	maxName   = 64
	maxCore   = 100_000
	maxCopies = 1000
	maxSpec   = 256 << 10 // bytes of text
	// maxSpecs limits the total text size of all requests, in bytes, because the journal's snapshot
	// is a single fact.
	maxSpecs = 8 << 20
)

// size returns the number of bytes of text in the request.
func (s *Spec) size() int {
	n := len(s.Name) + len(s.Binary) + len(s.User)
	for _, list := range [][]Copy{s.Load, s.Save} {
		for _, c := range list {
			n += len(c.From) + len(c.To)
		}
	}
	for _, kv := range s.Conf {
		n += len(kv)
	}
	return n
}

// Validate returns an error of kind Usage or Limit if the request is invalid, regardless of the
// pool.
func (s *Spec) Validate() error {
	bad := func(why string) error {
		return failure.New(failure.Usage, "create MR-cluster", s.Name, errors.New(why))
	}
	switch {
	case s.Name == "" || len(s.Name) > maxName || strings.ContainsFunc(s.Name, notInName):
		return bad("a name has 1 to 64 letters, digits, '-' and '_'")
	case s.User == "." || s.User == ".." || strings.Contains(s.User, "/"):
		return bad(fmt.Sprintf("the user %q cannot be the name of a directory", s.User))
	case s.Core < 1 || s.Core > maxCore:
		return bad(fmt.Sprintf("%d core nodes: want 1 to %d", s.Core, maxCore))
	case s.Grow == Core || s.Grow > TransientCore:
		return bad("an MR-cluster grows by transient (TR) or transient-core (TC) nodes")
	case len(s.Load)+len(s.Save) > maxCopies || len(s.Conf) > maxCopies:
		return bad(fmt.Sprintf("more than %d paths or settings", maxCopies))
	case s.size() > maxSpec:
		return failure.New(failure.Limit, "create MR-cluster", s.Name,
			fmt.Errorf("the request has %d bytes of text; the limit is %d", s.size(), maxSpec)).
			Fix("load and save directories instead of files, and put settings into the configuration of the nodes")
	case slices.ContainsFunc(s.Load, halfCopy) || slices.ContainsFunc(s.Save, halfCopy):
		return bad("a path to load or save needs a source and a destination")
	case slices.ContainsFunc(s.Conf, func(kv string) bool { return strings.IndexByte(kv, '=') < 1 }):
		return bad("settings are key=value")
	}
	return nil
}

// validSize returns an error if an operator size does not fit the request, regardless of the pool.
func (s *Spec) validSize(nodes int) error {
	if nodes != 0 && (nodes < s.Core || nodes > maxCore) {
		return fmt.Errorf("the size %d is invalid: want %d (its core nodes) to %d, or 0", nodes, s.Core, maxCore)
	}
	return nil
}

func halfCopy(c Copy) bool { return c.From == "" || c.To == "" }

func notInName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}
