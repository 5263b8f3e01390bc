package codec

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// maxTasks limits the number of tasks of each type in one job.
const maxTasks = 20e6

// ReadJob parses a job from its line.
func ReadJob(text []byte) (*trace.Job, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	if l.ID == "" {
		return nil, errors.New("the job has no ID")
	}
	if l.State > job.Killed || l.Priority < job.VeryLow || l.Priority > job.VeryHigh {
		return nil, errors.New("the state or priority does not exist")
	}
	j := &trace.Job{ID: l.ID, Name: l.Name, User: l.User, Queue: l.Queue, Priority: l.Priority, Submit: l.Submit,
		Launch: l.Launch, Finish: l.Finish,
		Deadline: l.Deadline, State: l.State, Skewed: l.Skewed, Input: l.Input, Shuffled: l.Shuffled, Output: l.Output,
		Conf: l.Conf}
	for _, c := range []*columns{l.Maps, l.Reduces} {
		if err := c.check(len(l.Hosts)); err != nil {
			return nil, err
		}
	}
	if c := l.Maps; c != nil && c.N > 0 {
		j.Maps = make([]trace.Map, c.N)
		for i := range j.Maps {
			j.Maps[i] = trace.Map{Time: at(c.Time, i), Start: at(c.Start, i), Input: at(c.Input, i), Host: l.host(at(c.Host, i)),
				Failed: c.Failed[i]}
			for _, h := range c.Hosts[i] {
				j.Maps[i].Hosts = append(j.Maps[i].Hosts, l.host(h))
			}
		}
	}
	if c := l.Reduces; c != nil && c.N > 0 {
		j.Reduces = make([]trace.Reduce, c.N)
		for i := range j.Reduces {
			j.Reduces[i] = trace.Reduce{Time: at(c.Time, i), Start: at(c.Start, i), Input: at(c.Input, i),
				Host: l.host(at(c.Host, i)), Failed: c.Failed[i],
				First: at(c.First, i) != 0, Shuffle: at(c.Shuffle, i)}
		}
	}
	return j, nil
}

// at returns an entry of a column. In a missing column, all entries are 0.
func at(c []int64, i int) int64 {
	if c == nil {
		return 0
	}
	return c[i]
}

func (l *line) host(n int64) string {
	if n == 0 {
		return ""
	}
	return l.Hosts[n-1]
}

// check verifies that the columns are consistent.
func (c *columns) check(hosts int) error {
	if c == nil {
		return nil
	}
	if c.N < 0 || c.N > maxTasks {
		return fmt.Errorf("%d tasks", c.N)
	}
	for _, col := range [][]int64{c.Time, c.Start, c.Input, c.Host, c.First, c.Shuffle} {
		if col != nil && len(col) != c.N {
			return fmt.Errorf("a column has %d numbers for %d tasks", len(col), c.N)
		}
	}
	// Reject a large job without times because its claimed number of tasks could allocate too much
	// memory.
	if c.Time == nil && c.Start == nil && c.N > 1e6 {
		return fmt.Errorf("%d tasks have no times", c.N)
	}
	for _, col := range [][]int64{c.Time, c.Shuffle} {
		for _, ms := range col {
			if ms < 0 {
				return errors.New("a time is negative")
			}
		}
	}
	for _, list := range c.Hosts {
		if err := checkHosts(list, hosts); err != nil {
			return err
		}
	}
	return checkHosts(c.Host, hosts)
}

func checkHosts(list []int64, hosts int) error {
	for _, h := range list {
		if h < 0 || h > int64(hosts) {
			return fmt.Errorf("host %d does not exist, only %d hosts", h, hosts)
		}
	}
	return nil
}
