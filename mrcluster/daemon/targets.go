package daemon

import (
	"fmt"
	"path"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// This file rejects requests whose copies can never succeed or would be lost, before their
// MR-clusters are deployed.

// target is the destination of one of a request's copies.
type target struct {
	option string
	copy   mrcluster.Copy
	at     dfs.Path
}

func (t target) String() string { return fmt.Sprintf("--%s %s=%s", t.option, t.copy.From, t.copy.To) }

// outside returns the targets of a request that are outside its own HDFS. It rejects the root of a
// file system. It also rejects relative paths outside the HDFS, because they refer to the local
// disk of the master's node, whose files are removed with the MR-cluster.
func outside(s *mrcluster.Spec) (out []target, err error) {
	add := func(option string, list []mrcluster.Copy) error {
		for _, c := range list {
			if _, _, err := outsidePath(s, c.From); err != nil {
				return err
			}
			at, is, err := outsidePath(s, c.To)
			if err != nil {
				return err
			}
			t := target{option, c, at}
			if !is {
				continue
			}
			if at.Path == "/" {
				return refuse(s, fmt.Errorf("%v: the root of a file system cannot be replaced", t),
					"name a directory below the root")
			}
			out = append(out, t)
		}
		return nil
	}
	if err := add("load", s.Load); err != nil {
		return nil, err
	}
	return out, add("save", s.Save)
}

func outsidePath(s *mrcluster.Spec, name string) (p dfs.Path, is bool, err error) {
	p, err = dfs.ParsePath(name)
	if err != nil || s.HDFS && p.Authority == "" && (p.Scheme == "" || p.Scheme == "hdfs") {
		return p, false, err
	}
	if !path.IsAbs(p.Path) {
		return p, false, refuse(s, fmt.Errorf("%s is a relative path, which differs on every node", name),
			"write the full path: file:/... or hdfs://HOST:PORT/...")
	}
	return p, true, nil
}

// checkTargets returns an error if two copies in the request, or a copy in it and one in another
// request, have overlapping targets outside their own HDFS. The second copy could not replace the
// first, so its MR-cluster would keep its nodes forever. checkTargets cannot detect that two names
// refer to the same place; the copy itself can.
func checkTargets(s *mrcluster.Spec, others []mrcluster.ClusterView) error {
	mine, err := outside(s)
	if err != nil {
		return err
	}
	for i, t := range mine {
		for _, other := range mine[:i] {
			if overlap(t.at, other.at) {
				return refuse(s, fmt.Errorf("%v and %v copy to the same place", other, t), "use different targets")
			}
		}
	}
	for i := range others {
		theirs, err := outside(&others[i].Spec)
		if err != nil || others[i].Spec.Name == s.Name { // accepted by an earlier version, or a duplicate name
			continue
		}
		for _, x := range theirs {
			for _, t := range mine {
				if overlap(t.at, x.at) {
					theirs := ""
					if others[i].Spec.User == s.User { // other users must not learn its paths
						theirs = fmt.Sprintf(" (%v)", x)
					}
					return refuse(s, fmt.Errorf("%v: MR-cluster %s copies to the same place%s", t, others[i].Spec.Name, theirs),
						"choose another target, or remove that MR-cluster first")
				}
			}
		}
	}
	return nil
}

// overlap reports whether two paths are equal or one contains the other.
func overlap(a, b dfs.Path) bool {
	in := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+"/") }
	return a.Scheme == b.Scheme && a.Authority == b.Authority && (in(a.Path, b.Path) || in(b.Path, a.Path))
}

func refuse(s *mrcluster.Spec, why error, remedy string) error {
	return failure.New(failure.Usage, "create MR-cluster", s.Name, why).Fix(remedy)
}
