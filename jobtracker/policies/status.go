package policies

import (
	"cmp"
	"time"
)

// Status describes the active policy and when and why it became active.
type Status struct {
	Name         string
	Speculation  string // name of the speculation rule; "" = no speculation
	Since        time.Time
	By           string
	Problem      string   // why the latest change failed or the policy does not fit the cluster; "" = no problem
	UntilRestart bool     // the next restart replaces the policy or its settings with the configured ones
	Files        []string // configuration files of the policy
}

// Status returns the active policy's status.
func (k *Keeper) Status() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := Status{Name: k.now.Name, Speculation: k.now.Speculation, Since: k.since, By: k.by,
		Problem: cmp.Or(k.problem, k.misfit), UntilRestart: k.now.other}
	for _, f := range k.now.Files {
		if f.Data != nil {
			s.Files = append(s.Files, f.Path)
		}
	}
	return s
}
