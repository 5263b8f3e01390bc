// Package codec implements the JSON Lines format for storing and exchanging traces. The first line
// is a Header; every other line is a job. A job stores the times of its tasks in columns, which are
// arrays with one number per task. A column of zeros is omitted. Hosts are 1-based indices into the
// job's own list of names. The specification is docs/reference/simulator.md.
package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// Version is the version of the format.
const Version = 1

// Header is the first line of a trace.
type Header struct {
	Version int          `json:"howdah-trace"`
	Name    string       `json:"name"`
	Origin  string       `json:"origin"`
	Slots   [2]int32     `json:"slots"`
	Nodes   []trace.Node `json:"nodes,omitempty"`
}

// Recognize reports whether head looks like the start of an exported trace.
func Recognize(head []byte) bool { return bytes.HasPrefix(head, []byte(`{"howdah-trace":`)) }

// ReadHeader parses a trace's first line.
func ReadHeader(line []byte) (Header, error) {
	var h Header
	if err := json.Unmarshal(line, &h); err != nil {
		return h, err
	}
	if h.Version != Version {
		return h, fmt.Errorf("format version %d is not supported, only version %d", h.Version, Version)
	}
	if h.Slots[0] < 0 || h.Slots[1] < 0 {
		return h, errors.New("the number of slots is negative")
	}
	return h, nil
}

// Write writes a whole trace with the header h, whose Version it sets.
func Write(w io.Writer, h Header, s trace.Source) error {
	h.Version = Version
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	for {
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		j, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if line, err = AppendJob(line[:0], j); err != nil {
			return err
		}
	}
}

// line is the JSON form of a job.
type line struct {
	ID       string         `json:"id"`
	Name     string         `json:"name,omitempty"`
	User     string         `json:"user,omitempty"`
	Queue    string         `json:"queue,omitempty"`
	Priority job.Priority   `json:"priority,omitempty"`
	Submit   int64          `json:"submit"`
	Launch   int64          `json:"launch,omitempty"`
	Finish   int64          `json:"finish,omitempty"`
	Deadline int64          `json:"deadline,omitempty"`
	State    job.State      `json:"state"`
	Skewed   bool           `json:"skewed,omitempty"`
	Input    int64          `json:"input,omitempty"`
	Shuffled int64          `json:"shuffled,omitempty"`
	Output   int64          `json:"output,omitempty"`
	Conf     []job.Property `json:"conf,omitempty"`
	Hosts    []string       `json:"hosts,omitempty"`
	Maps     *columns       `json:"maps,omitempty"`
	Reduces  *columns       `json:"reduces,omitempty"`
}

// columns holds the tasks of one kind.
type columns struct {
	N       int     `json:"n"`
	Time    []int64 `json:"time,omitempty"`
	Start   []int64 `json:"start,omitempty"`
	Input   []int64 `json:"input,omitempty"`
	Host    []int64 `json:"host,omitempty"` // index into the job's hosts, from 1; 0 means unknown
	First   []int64 `json:"first,omitempty"`
	Shuffle []int64 `json:"shuffle,omitempty"`
	// The following fields map task indices to lists. They omit tasks with empty lists.
	Hosts  map[int][]int64 `json:"hosts,omitempty"`
	Failed map[int][]int64 `json:"failed,omitempty"`
}

// AppendJob appends the job as one line, without the newline.
func AppendJob(b []byte, j *trace.Job) ([]byte, error) {
	l := line{ID: j.ID, Name: j.Name, User: j.User, Queue: j.Queue, Priority: j.Priority, Submit: j.Submit,
		Launch: j.Launch, Finish: j.Finish,
		Deadline: j.Deadline, State: j.State, Skewed: j.Skewed, Input: j.Input, Shuffled: j.Shuffled, Output: j.Output,
		Conf: j.Conf}
	names := &names{numbers: map[string]int64{}}
	if n := len(j.Maps); n > 0 {
		l.Maps = &columns{N: n, Hosts: map[int][]int64{}, Failed: map[int][]int64{},
			Time:  column(n, func(i int) int64 { return j.Maps[i].Time }),
			Start: column(n, func(i int) int64 { return j.Maps[i].Start }),
			Input: column(n, func(i int) int64 { return j.Maps[i].Input }),
			Host:  column(n, func(i int) int64 { return names.number(j.Maps[i].Host) }),
		}
		for i := range j.Maps {
			for _, h := range j.Maps[i].Hosts {
				l.Maps.Hosts[i] = append(l.Maps.Hosts[i], names.number(h))
			}
			l.Maps.fail(i, j.Maps[i].Failed)
		}
	}
	if n := len(j.Reduces); n > 0 {
		l.Reduces = &columns{N: n, Failed: map[int][]int64{},
			Time:    column(n, func(i int) int64 { return j.Reduces[i].Time }),
			Start:   column(n, func(i int) int64 { return j.Reduces[i].Start }),
			Input:   column(n, func(i int) int64 { return j.Reduces[i].Input }),
			Host:    column(n, func(i int) int64 { return names.number(j.Reduces[i].Host) }),
			Shuffle: column(n, func(i int) int64 { return j.Reduces[i].Shuffle }),
			First:   column(n, func(i int) int64 { return number(j.Reduces[i].First) }),
		}
		for i := range j.Reduces {
			l.Reduces.fail(i, j.Reduces[i].Failed)
		}
	}
	l.Hosts = names.list
	text, err := json.Marshal(&l)
	return append(b, text...), err
}

func (c *columns) fail(i int, ms []int64) {
	if len(ms) > 0 {
		c.Failed[i] = ms
	}
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// column returns one number for each task, or nil if all are 0.
func column(n int, of func(i int) int64) []int64 {
	c, any := make([]int64, n), false
	for i := range c {
		c[i] = of(i)
		any = any || c[i] != 0
	}
	if !any {
		return nil
	}
	return c
}

// names assigns numbers to hosts in order of appearance, from 1.
type names struct {
	list    []string
	numbers map[string]int64
}

func (n *names) number(host string) int64 {
	if host == "" {
		return 0
	}
	if k := n.numbers[host]; k > 0 {
		return k
	}
	n.list = append(n.list, host)
	n.numbers[host] = int64(len(n.list))
	return int64(len(n.list))
}
