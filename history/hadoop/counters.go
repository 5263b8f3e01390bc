package hadoop

import "github.com/howdah/howdah/job"

// group is a group of counters as both formats tell it.
type group struct {
	name, display string
	counters      []counter
}

type counter struct {
	name, display string
	value         int64
}

// groupsOf gives the counters that are not 0, by group: the built-in ones in their order, then the job's own.
func groupsOf(c *job.Counters) []group {
	if c == nil {
		return nil
	}
	var out []group
	add := func(name, display string, k counter) {
		if n := len(out); n > 0 && out[n-1].name == name {
			out[n-1].counters = append(out[n-1].counters, k)
			return
		}
		out = append(out, group{name, display, []counter{k}})
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
