package yarn

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task/piped"
)

// told is what Hadoop's client has said so far. It may be read while more comes.
type told struct {
	mu       sync.Mutex
	id       job.ID // zero = not yet
	accepted bool   // YARN has taken the job
	url      string // tracking URL
	maps     float32
	reduces  float32
	counters job.Counters
	group    string // of the counters that come now; "" = none are expected
	counting bool
	failed   []failedAttempt
	reason   bool     // the next lines say why the last of failed did
	errors   []string // the last lines that tell of trouble
}

// failedAttempt is an attempt of which Hadoop says that it failed, and the first line of the reason.
type failedAttempt struct {
	id  job.AttemptID
	why string
}

var (
	idLine       = regexp.MustCompile(`(Running job|Submitting tokens for job): (job_[0-9]+_[0-9]+)`)
	failedLine   = regexp.MustCompile(`Task Id : (attempt_[0-9a-z_]+), Status : FAILED`)
	urlLine      = regexp.MustCompile(`The url to track the job: (\S+)`)
	progressLine = regexp.MustCompile(` map ([0-9]+)% reduce ([0-9]+)%`)
	countersLine = regexp.MustCompile(`Counters: [0-9]+$`)
	troubleLine  = regexp.MustCompile(`^(ERROR|FATAL)|Exception|Error:|Job not successful|failed`)
)

// maxLine and maxErrors bound what is kept of a client that says a lot.
const (
	maxLine   = 64 << 10
	maxErrors = 20
	maxFailed = 10_000
)

// read takes everything that the client says.
func (t *told) read(r io.Reader) {
	b := bufio.NewReaderSize(r, maxLine)
	for {
		line, more, err := b.ReadLine()
		if err != nil {
			return
		}
		if !more {
			t.line(string(line))
		}
	}
}

func (t *told) line(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counting && t.counter(s) {
		return
	}
	t.counting = countersLine.MatchString(s)
	if t.reason && strings.TrimSpace(s) != "" {
		t.failed[len(t.failed)-1].why = reason(s)
		t.reason = false
	}
	if m := failedLine.FindStringSubmatch(s); m != nil {
		if id, err := job.ParseAttemptID(m[1]); err == nil && len(t.failed) < maxFailed {
			t.failed = append(t.failed, failedAttempt{id: id})
			t.reason = true
		}
	}
	if m := idLine.FindStringSubmatch(s); m != nil {
		if id, err := job.ParseID(m[2]); err == nil {
			t.id = id
			t.accepted = t.accepted || m[1] == "Running job"
		}
	}
	if m := urlLine.FindStringSubmatch(s); m != nil {
		t.url = m[1]
	}
	if m := progressLine.FindStringSubmatch(s); m != nil {
		t.maps, t.reduces = percent(m[1]), percent(m[2])
	}
	if troubleLine.MatchString(s) {
		t.errors = append(t.errors, strings.TrimSpace(s))
		if len(t.errors) > maxErrors {
			t.errors = t.errors[1:]
		}
	}
}

var exitCode = regexp.MustCompile(`PipeMapRed.*subprocess failed with code ([0-9]+)`)

// reason says in the user's words why an attempt failed of which Hadoop only saw the end.
func reason(s string) string {
	if m := exitCode.FindStringSubmatch(s); m != nil {
		return "the program ended with exit code " + m[1] + " and left no reason"
	}
	return strings.TrimSpace(s)
}

func percent(s string) float32 {
	n, _ := strconv.Atoi(s)
	return min(float32(n)/100, 1)
}

// jobGroup is how Hadoop calls the group of counters that it alone can count.
const jobGroup = "Job Counters"

// counter reads a line of the list of counters: a group behind one tab, name=value behind two; false ends the list.
func (t *told) counter(s string) bool {
	if !strings.HasPrefix(s, "\t") {
		return false
	}
	if !strings.HasPrefix(s, "\t\t") {
		t.group = strings.TrimSpace(s)
		return true
	}
	i := strings.LastIndexByte(s, '=')
	if i < 0 {
		return true
	}
	value, err := strconv.ParseInt(s[i+1:], 10, 64)
	if err != nil {
		return true
	}
	name := s[2:i]
	if group, own, ok := piped.Counter(t.group, name); ok {
		t.add(group, own, value)
	} else if t.group == jobGroup {
		t.add(job.GroupJob, name, value)
	}
	return true
}

// add finds the built-in counter of that name, or adds one of the job's own. Hadoop shows built-in ones by their display names.
func (t *told) add(group, name string, v int64) {
	for id := range job.NumCounters {
		if i := id.Info(); i.Group == group && (i.Name == name || strings.TrimSpace(i.Display) == strings.TrimSpace(name)) {
			t.counters.Builtin[id] += v
			return
		}
	}
	if group != job.GroupJob {
		t.counters.Add(group, name, v)
	}
}

// snapshot gives what there is to show now.
func (t *told) snapshot() (id job.ID, url string, maps, reduces float32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id, t.url, t.maps, t.reduces
}

// isAccepted reports whether YARN has taken the job.
func (t *told) isAccepted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accepted
}

// failures gives the failed attempts whose reason is known.
func (t *told) failures() []failedAttempt {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.failed)
	if t.reason {
		n--
	}
	return slices.Clone(t.failed[:n])
}
