package jobtracker

import (
	"slices"

	"github.com/howdah/howdah/job"
)

// counters holds the counters of an attempt. An attempt uses only some of the built-in counters, and
// a job can have 100,000 attempts, so counters stores only those that are not zero.
type counters struct {
	builtin []builtin // ordered by ID
	user    []job.UserCounter
}

type builtin struct {
	id    job.CounterID
	value int64
}

// set copies all counters from c. It allocates only if there are more counters than before.
func (x *counters) set(c *job.Counters) {
	n := 0
	for _, v := range c.Builtin {
		if v != 0 {
			n++
		}
	}
	x.builtin = slices.Grow(x.builtin[:0], n)
	for id, v := range c.Builtin {
		if v != 0 {
			x.builtin = append(x.builtin, builtin{job.CounterID(id), v})
		}
	}
	x.user = append(x.user[:0], c.User...)
}

// get returns the value of a built-in counter. If x is nil, get returns 0.
func (x *counters) get(id job.CounterID) int64 {
	if x != nil {
		for _, b := range x.builtin {
			if b.id == id {
				return b.value
			}
		}
	}
	return 0
}

// mergeInto merges the counters into c. If x is nil, mergeInto has no effect.
func (x *counters) mergeInto(c *job.Counters) {
	if x == nil {
		return
	}
	for _, b := range x.builtin {
		c.MergeBuiltin(b.id, b.value)
	}
	if len(x.user) > 0 {
		c.Merge(&job.Counters{User: x.user})
	}
}

// fill sets c to the counters, shares the user counters with it, and returns it. If x is nil, fill
// returns nil.
func (x *counters) fill(c *job.Counters) *job.Counters {
	if x == nil {
		return nil
	}
	*c = job.Counters{User: x.user}
	for _, b := range x.builtin {
		c.Builtin[b.id] = b.value
	}
	return c
}
