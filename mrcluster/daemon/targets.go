package daemon

import (
	"fmt"
	"path"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// This file refuses, before anything is deployed for it, what could never be copied, or would be lost.

// target is a place to which a request copies something.
type target struct {
	option string
	copy   mrcluster.Copy
	at     dfs.Path
}

func (t target) String() string { return fmt.Sprintf("--%s %s=%s", t.option, t.copy.From, t.copy.To) }

// outside gives the places of a request that are not on an HDFS of its own. A relative path there is refused: it would lie in a directory
// of whatever node has the master, and go with it.
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
				return refuse(s, fmt.Errorf("%v: the root of a file system cannot be replaced", t), "name a directory in it")
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
		return p, false, refuse(s, fmt.Errorf("%s is a relative path, which is another place on every node", name), "write it as a whole: file:/... or hdfs://HOST:PORT/...")
	}
	return p, true, nil
}

// checkTargets refuses a request that copies to where a copy of it or of another request goes already: what one has put there the other must not
// replace, so the later one would keep its nodes for ever. The same place by two names is seen only when it is copied to.
func checkTargets(s *mrcluster.Spec, others []mrcluster.ClusterView) error {
	mine, err := outside(s)
	if err != nil {
		return err
	}
	for i, t := range mine {
		for _, other := range mine[:i] {
			if overlap(t.at, other.at) {
				return refuse(s, fmt.Errorf("%v and %v copy to the same place", other, t), "give each a place of its own")
			}
		}
	}
	for i := range others {
		theirs, err := outside(&others[i].Spec)
		if err != nil || others[i].Spec.Name == s.Name { // taken by an earlier version; or refused for its name
			continue
		}
		for _, x := range theirs {
			for _, t := range mine {
				if overlap(t.at, x.at) {
					return refuse(s, fmt.Errorf("%v: MR-cluster %s copies to the same place (%v)", t, others[i].Spec.Name, x), "name another place, or remove that MR-cluster first")
				}
			}
		}
	}
	return nil
}

// overlap tells whether two places are the same or one lies in the other.
func overlap(a, b dfs.Path) bool {
	in := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+"/") }
	return a.Scheme == b.Scheme && a.Authority == b.Authority && (in(a.Path, b.Path) || in(b.Path, a.Path))
}

func refuse(s *mrcluster.Spec, why error, remedy string) error {
	return failure.New(failure.Usage, "create MR-cluster", s.Name, why).Fix(remedy)
}
