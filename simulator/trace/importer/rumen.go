package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// rumenJob contains the parts of a Rumen job that the importer uses.
type rumenJob struct {
	ID       word            `json:"jobID"`
	Name     word            `json:"jobName"`
	User     word            `json:"user"`
	Queue    word            `json:"queue"`
	Priority word            `json:"priority"`
	Outcome  word            `json:"outcome"`
	Submit   number          `json:"submitTime"`
	Launch   number          `json:"launchTime"`
	Finish   number          `json:"finishTime"`
	Maps     []rumenTask     `json:"mapTasks"`
	Reduces  []rumenTask     `json:"reduceTasks"`
	Others   []rumenTask     `json:"otherTasks"` // setup and cleanup
	MapMB    number          `json:"jobMapMB"`
	ReduceMB number          `json:"jobReduceMB"`
	Conf     map[string]word `json:"jobProperties"`
	MapsN    number          `json:"totalMaps"`
	ReducesN number          `json:"totalReduces"`
	Children []rumenNode     `json:"children"` // a topology is a tree of nodes instead of a job
	NodeName word            `json:"name"`
}

type rumenTask struct {
	ID        word            `json:"taskID"`
	Attempts  []rumenAttempt  `json:"attempts"`
	Input     number          `json:"inputBytes"`
	Output    number          `json:"outputBytes"`
	Preferred []rumenLocation `json:"preferredLocations"`
}

type rumenAttempt struct {
	ID      word   `json:"attemptID"`
	Host    word   `json:"hostName"`
	Result  word   `json:"result"`
	Start   number `json:"startTime"`
	Shuffle number `json:"shuffleFinished"`
	Sort    number `json:"sortFinished"`
	Finish  number `json:"finishTime"`
}

type rumenLocation struct {
	Layers []word `json:"layers"`
}

func (l *rumenLocation) path() string {
	var b strings.Builder
	for _, w := range l.Layers {
		b.WriteString("/" + unescape(string(w)))
	}
	return b.String()
}

type rumenNode struct {
	Name     word        `json:"name"`
	Children []rumenNode `json:"children"`
}

// word is a text value. Some versions of Rumen wrote numbers or objects instead. The importer drops
// an unusable word but keeps its job.
type word string

func (w *word) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case json.Unmarshal(b, &s) == nil: // null yields ""
		*w = word(s)
	case b[0] != '{' && b[0] != '[':
		*w = word(b)
	}
	return nil
}

// number is an integer that the file may write as an integer, a decimal fraction, or a string. An
// invalid or negative number becomes -1, and a missing number is 0.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	*n = -1
	x, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err == nil && x >= 0 && x < 1e18 {
		*n = number(x)
	}
	return nil
}

// rumen reads a job trace or a topology.
func (im *Import) rumen(path string, r *bufio.Reader) error {
	o := &objects{in: r, max: im.opt.MaxLine * 8, line: 1}
	for {
		text, line, err := o.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			im.damage(path, line, "%v", err)
			if errors.Is(err, errBroken) {
				continue
			}
			return nil
		}
		var j rumenJob
		if err := json.Unmarshal(text, &j); err != nil {
			im.damage(path, line, "not a job: %v", err)
			continue
		}
		switch {
		case j.ID != "":
			if why := im.rumenJob(&j); why != "" {
				im.damage(path, line, "%s: %s", j.ID, why)
			}
		case j.Children != nil || j.NodeName != "":
			im.topology(j.Children, "")
		default:
			im.damage(path, line, "the object is neither a job nor a topology")
		}
	}
}

// topology records the hosts, which are the leaves of a topology.
func (im *Import) topology(nodes []rumenNode, above string) {
	for i := range nodes {
		n := &nodes[i]
		path := above + "/" + strings.TrimLeft(unescape(string(n.Name)), "/")
		if len(n.Children) == 0 {
			im.book.node(path)
			continue
		}
		im.topology(n.Children, path)
	}
}

func (im *Import) rumenJob(j *rumenJob) string {
	id := string(j.ID)
	if im.book.jobs[id] != nil && im.book.jobs[id].told {
		return "a job with this ID was already read"
	}
	r := im.book.at(id)
	if r == nil {
		return "too many jobs"
	}
	r.told = true
	r.Name, r.User, r.Queue = string(j.Name), string(j.User), string(j.Queue)
	r.Priority, _ = job.ParsePriority(string(j.Priority))
	r.Submit, r.Launch, r.Finish = known(j.Submit), known(j.Launch), known(j.Finish)
	r.State = jobState(string(j.Outcome), job.Running)
	r.want = [2]int32{int32(max(0, min(j.MapsN, maxMissing))), int32(max(0, min(j.ReducesN, maxMissing)))}
	for key, value := range j.Conf {
		r.set(key, string(value))
	}
	if j.MapMB > 0 {
		r.set(conf.MapMemoryMB.Name, fmt.Sprint(j.MapMB))
	}
	if j.ReduceMB > 0 {
		r.set(conf.ReduceMemoryMB.Name, fmt.Sprint(j.ReduceMB))
	}
	for i := range j.Others {
		for _, a := range j.Others[i].Attempts {
			im.book.node(unescape(string(a.Host)))
		}
	}
	for i := range j.Maps {
		if why := im.rumenTask(r, job.Map, &j.Maps[i]); why != "" {
			return why
		}
	}
	for i := range j.Reduces {
		r.Output += max(0, int64(j.Reduces[i].Output))
		if why := im.rumenTask(r, job.Reduce, &j.Reduces[i]); why != "" {
			return why
		}
	}
	return ""
}

// known converts Rumen's -1 and invalid times to 0.
func known(ms number) int64 {
	if ms < 0 || ms > maxTime {
		return 0
	}
	return int64(ms)
}

func (im *Import) rumenTask(r *record, typ job.TaskType, from *rumenTask) string {
	index, ok := indexOf(string(from.ID))
	if !ok {
		return "the task has no ID"
	}
	t := im.book.task(r, typ, index)
	if t == nil {
		return "too many tasks"
	}
	t.input = max(0, int64(from.Input))
	for _, l := range from.Preferred {
		if len(t.hosts) == 100 {
			break
		}
		if host := im.book.node(l.path()); host != "" {
			t.hosts = append(t.hosts, host)
		}
	}
	for _, a := range from.Attempts {
		at := t.attempt(string(a.ID))
		if at == nil {
			return "too many attempts"
		}
		at.start, at.shuffle, at.sort, at.finish = known(a.Start), known(a.Shuffle), known(a.Sort), known(a.Finish)
		at.state = attemptState(string(a.Result), job.AttemptRunning)
		at.host = im.book.node(unescape(string(a.Host)))
	}
	return ""
}

// objects splits a stream into its JSON objects. Commas between objects and brackets around them
// are optional. After a broken object, it continues at the next line that contains only a brace,
// which starts an object in a Rumen trace.
type objects struct {
	in   *bufio.Reader
	max  int
	line int64
	buf  []byte
	held bool // the opening brace has already been read
}

var errBroken = errors.New("the JSON object is invalid or too long")

// next returns the next object and the number of its first line.
func (o *objects) next() ([]byte, int64, error) {
	o.buf = o.buf[:0]
	first, depth := o.line, 0
	quoted, escaped, started := false, false, false
	if o.held {
		o.buf, o.held, depth, started = append(o.buf, '{'), false, 1, true
	}
	for {
		c, err := o.in.ReadByte()
		if err != nil {
			if err == io.EOF && started {
				return nil, first, errors.New("the file ends within a JSON object")
			}
			return nil, first, err
		}
		if c == '\n' {
			o.line++
		}
		if !started {
			switch {
			case c == '{':
				started, first = true, o.line
			case bytes.IndexByte([]byte(" \t\r\n,[]"), c) >= 0:
				continue
			default:
				return nil, o.line, o.resync()
			}
		}
		if len(o.buf) >= o.max {
			return nil, first, o.resync()
		}
		o.buf = append(o.buf, c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return o.buf, first, nil
			}
		}
		// If a new object starts inside another, the outer object was truncated.
		if c == '\n' && len(o.buf) > 2 && !quoted {
			if head, _ := o.in.Peek(2); string(head) == "{\n" {
				o.in.Discard(1)
				o.held = true
				return nil, first, errBroken
			}
		}
	}
}

// resync skips to the next line that contains only a brace.
func (o *objects) resync() error {
	for {
		_, err := o.in.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil:
			return errBroken // the next call detects the end
		default:
			o.line++
			if head, _ := o.in.Peek(2); string(head) == "{\n" {
				return errBroken
			}
		}
	}
}
