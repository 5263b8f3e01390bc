package hadoop

import (
	"slices"

	"github.com/howdah/howdah/job"
)

type group struct {
	name, display string
	counters      []counter
}

type counter struct {
	name, display string
	value         int64
}

// groupsOf returns the non-zero built-in counters and the job's own counters by group.
func groupsOf(c *job.Counters) []group {
	if c == nil {
		return nil
	}
	var out []group
	add := func(name, display string, k counter) {
		i := slices.IndexFunc(out, func(g group) bool { return g.name == name })
		if i < 0 {
			i = len(out)
			out = append(out, group{name: name, display: display})
		}
		out[i].counters = append(out[i].counters, k)
	}
	for id, v := range c.Builtin {
		if v != 0 {
			i := job.CounterID(id).Info()
			add(i.Group, i.GroupDisplay, counter{i.Name, i.Display, v})
		}
	}
	for _, u := range c.User {
		add(u.Group, u.Group, counter{u.Name, u.Name, u.Value})
	}
	return out
}
