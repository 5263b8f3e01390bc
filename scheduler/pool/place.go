package pool

import (
	"encoding/xml"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// Keys that say to which pool a job belongs.
const (
	KeyPool         = "mapred.fairscheduler.pool"             // of a job: its pool
	KeyPoolProperty = "mapred.fairscheduler.poolnameproperty" // of the cluster: the property of a job that names its pool
	KeyUndeclared   = "mapred.fairscheduler.allow.undeclared.pools"
)

// groupProperty is the property that tells the group of a job's user.
const groupProperty = "group.name"

// Rule is one rule of <poolPlacementPolicy>. Rules are tried in order; the first that finds a pool decides.
type Rule struct {
	Name   string // specified, user, primaryGroup, default or reject
	Create bool   // a pool that the file does not name counts
	Pool   string // of the rule default
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
		return p.fail(p.line(), "<rule name=%q>", r.Name).Fix("there are: " + strings.Join(ruleNames, " "))
	}
	if n := len(p.a.Rules); n > 0 && (p.a.Rules[n-1].Name == "reject" || p.a.Rules[n-1].Name == "default") {
		return p.fail(p.line(), "no rule after %s is ever tried", p.a.Rules[n-1].Name)
	}
	p.a.Rules = append(p.a.Rules, r)
	return p.children(e, func(e xml.StartElement) error { return p.unknown(e.Name.Local, "rule", nil) })
}

// property gives a property of a job as the job was submitted; "" = it has none.
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

// PoolOf names the pool of a job; ok = false says that the placement policy rejects it.
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

// byProperty is Hadoop's way (PoolManager.getPoolName): what the job says, else what its property says.
func (s *Settings) byProperty(spec *job.Spec) string {
	name := property(spec, KeyPool)
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
			name = property(spec, KeyPool)
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

// NameOf names the pool of a job that was admitted.
func (s *Settings) NameOf(spec *job.Spec) string {
	name, _ := s.PoolOf(spec)
	return name
}
