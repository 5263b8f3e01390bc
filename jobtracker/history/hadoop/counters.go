package hadoop

import (
	"slices"

	"github.com/howdah/howdah/job"
)

// A Group is a group of counters. Hadoop orders groups and their counters.
type Group struct {
	Name, Display string
	Counters      []Counter
}

// A Counter is a counter with its value.
type Counter struct {
	Name, Display string
	Value         int64
}

// groupsOf returns the non-zero built-in counters and the job's own counters by group.
func groupsOf(c *job.Counters) []Group {
	if c == nil {
		return nil
	}
	var out []Group
	add := func(name, display string, k Counter) {
		i := slices.IndexFunc(out, func(g Group) bool { return g.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, Group{Name: name, Display: display})
		}
		out[i].Counters = append(out[i].Counters, k)
	}
	for id, v := range c.Builtin {
		if v != 0 {
			i := job.CounterID(id).Info()
			add(i.Group, i.GroupDisplay, Counter{i.Name, i.Display, v})
		}
	}
	for _, u := range c.User {
		add(u.Group, u.Group, Counter{u.Name, u.Name, u.Value})
	}
	return out
}
