package pool

import (
	"encoding/xml"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// groupProperty is the job property that contains the user's group.
const groupProperty = "group.name"

// A Rule is one rule of <poolPlacementPolicy>. The first rule that finds a pool decides.
type Rule struct {
	Name   string // specified, user, primaryGroup, default, or reject
	Create bool   // also use pools that the file does not name
	Pool   string // pool of the default rule
}

var ruleNames = []string{"specified", "user", "primaryGroup", "default", "reject"}

func (p *parser) rule(e xml.StartElement) error {
	if e.Name.Local != "rule" {
		return p.unknown(e.Name.Local, "poolPlacementPolicy", []string{"rule"})
	}
	r := Rule{Create: true, Pool: DefaultName}
	for _, a := range e.Attr {
		switch v := strings.TrimSpace(a.Value); a.Name.Local {
		case "name":
			r.Name = v
		case "create":
			if v != "true" && v != "false" {
				return p.fail(p.line(), "create=%q: want true or false", v)
			}
			r.Create = v == "true"
		case "pool", "queue":
			r.Pool = v
		default:
			return p.fail(p.line(), "unknown attribute %s of <rule>", a.Name.Local)
		}
	}
	if !slices.Contains(ruleNames, r.Name) {
		return p.fail(p.line(), "<rule name=%q>", r.Name).Fix("use one of: " + strings.Join(ruleNames, " "))
	}
	if n := len(p.a.Rules); n > 0 && (p.a.Rules[n-1].Name == "reject" || p.a.Rules[n-1].Name == "default") {
		return p.fail(p.line(), "rules after %s have no effect", p.a.Rules[n-1].Name)
	}
	p.a.Rules = append(p.a.Rules, r)
	return p.children(e, func(e xml.StartElement) error { return p.unknown(e.Name.Local, "rule", nil) })
}

// property returns a property of the submitted job, or "" if it is not set.
func property(s *job.Spec, name string) string {
	switch name = conf.Canonical(name); name {
	case conf.Canonical("user.name"):
		return s.User
	case conf.Canonical("mapred.job.queue.name"):
		return s.Queue
	}
	v, _ := s.Get(name)
	return strings.TrimSpace(v)
}

// PoolOf returns the name of the job's pool, after redirections. ok is false if the placement
// policy rejects the job.
func (s *Settings) PoolOf(spec *job.Spec) (name string, ok bool) {
	if s.Pools.Rules != nil {
		name, ok = s.byRules(spec)
	} else {
		name, ok = s.byProperty(spec), true
	}
	if i, found := s.Pools.find(name); found && s.Pools.Pools[i].Redirect != "" {
		name = s.Pools.Pools[i].Redirect
	}
	return name, ok
}

// byProperty applies Hadoop's rule (PoolManager.getPoolName). It returns the pool that the job
// names explicitly, or else the pool that the configured property names. If there is no name, or
// the pool is unlisted and such pools are not allowed, it returns DefaultName.
func (s *Settings) byProperty(spec *job.Spec) string {
	name := property(spec, conf.FairSchedulerPool.Name)
	if name == "" {
		name = property(spec, s.PoolProperty)
	}
	if _, declared := s.Pools.find(name); name == "" || !declared && !s.Undeclared {
		return DefaultName
	}
	return name
}

func (s *Settings) byRules(spec *job.Spec) (string, bool) {
	for i := range s.Pools.Rules {
		r := &s.Pools.Rules[i]
		name := ""
		switch r.Name {
		case "specified":
			name = property(spec, conf.FairSchedulerPool.Name)
		case "user":
			name = spec.User
		case "primaryGroup":
			name = property(spec, groupProperty)
		case "default":
			return r.Pool, true
		}
		if _, declared := s.Pools.find(name); name != "" && (declared || r.Create) {
			return name, true
		}
	}
	return DefaultName, false
}

// NameOf returns the name of the job's pool. The job must have been admitted.
func (s *Settings) NameOf(spec *job.Spec) string {
	name, _ := s.PoolOf(spec)
	return name
}
