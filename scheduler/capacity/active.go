package capacity

// Not all jobs of a queue are active: Hadoop initialises only so many (JobInitializationPoller), and only those are scheduled.
// A job that has become active stays so.

// activate makes waiting jobs active, in their order, as far as the limits go. After a restart (again) those that have run
// before come first, whatever the limits are: they were active then.
func (q *queue) activate(again bool) {
	for _, x := range q.jobs {
		if again && x.began && !x.active {
			x.setActive(true)
		}
	}
	for _, x := range q.jobs {
		if q.active >= q.most {
			return
		}
		if !x.active && x.fits() {
			x.setActive(true)
		}
	}
}

// fits tells whether a waiting job may become active. One that is too large for its limit is let in alone: it was accepted
// under another configuration.
func (x *entry) fits() bool {
	q, u := x.queue, x.user
	return u.active < q.mostPerUser &&
		(q.active == 0 || q.tasks+x.tasks <= q.set.ActiveTasks) &&
		(u.active == 0 || u.tasks+x.tasks <= q.set.ActivePerUser)
}

func (x *entry) setActive(active bool) {
	d := int32(1)
	if !active {
		d = -1
	}
	x.active = active
	x.queue.active += d
	x.user.active += d
	x.queue.tasks += int64(d) * x.tasks
	x.user.tasks += int64(d) * x.tasks
	for l := range x.wants {
		x.setWants(l, active && x.open[l])
	}
}

// inherit takes over which jobs were active under the policy before, and what they have waited.
func (q *queue) inherit(old *Policy) {
	for _, x := range q.jobs {
		if x.active {
			x.setActive(false)
		}
	}
	for _, x := range q.jobs {
		if o := old.jobs[x.seq]; o != nil {
			x.missed = o.missed
			if o.active {
				x.setActive(true)
			}
		}
	}
	q.activate(true)
}
