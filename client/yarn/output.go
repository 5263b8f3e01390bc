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

// told is what Hadoop's client has printed so far, in parsed form. It is safe for concurrent use.
type told struct {
	mu       sync.Mutex
	id       job.ID // zero until known
	accepted bool   // YARN has accepted the job
	url      string // tracking URL
	maps     float32
	reduces  float32
	counters job.Counters
	group    string // group of the following counters; "" outside the list of counters
	counting bool
	failed   []failedAttempt
	reason   bool     // the next line that is not blank contains the reason of the last attempt in failed
	errors   []string // latest lines that report errors
}

// failedAttempt is an attempt that Hadoop reported as failed, with the first line of the reason.
type failedAttempt struct {
	id  job.AttemptID
	why string
}

// patterns match lines of the client. They are compiled on first use, because compiling them would
// make every process start more slowly.
type patterns struct {
	id, failed, url, progress, counters, trouble *regexp.Regexp
	exitCode                                     *regexp.Regexp // in a failure's reason
}

var lines = sync.OnceValue(func() patterns {
	return patterns{
		id:       regexp.MustCompile(`(Running job|Submitting tokens for job): (job_[0-9]+_[0-9]+)`),
		failed:   regexp.MustCompile(`Task Id : (attempt_[0-9a-z_]+), Status : FAILED`),
		url:      regexp.MustCompile(`The url to track the job: (\S+)`),
		progress: regexp.MustCompile(` map ([0-9]+)% reduce ([0-9]+)%`),
		counters: regexp.MustCompile(`Counters: [0-9]+$`),
		trouble:  regexp.MustCompile(`^(ERROR|FATAL)|Exception|Error:|Job not successful|failed`),
		exitCode: regexp.MustCompile(`PipeMapRed.*subprocess failed with code ([0-9]+)`),
	}
})

// Limits on what told reads and keeps: bytes per line, lines with errors, and failed attempts.
const (
	maxLine   = 64 << 10
	maxErrors = 20
	maxFailed = 10_000
)

// read reads and parses all output of the client. If a line is longer than maxLine, read parses
// only its first part.
func (t *told) read(r io.Reader) {
	b := bufio.NewReaderSize(r, maxLine)
	for inside := false; ; {
		line, more, err := b.ReadLine()
		if err != nil {
			return
		}
		if !inside {
			t.line(string(line))
		}
		inside = more
	}
}

func (t *told) line(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counting && t.counter(s) {
		return
	}
	p := lines()
	t.counting = p.counters.MatchString(s)
	if t.reason && strings.TrimSpace(s) != "" {
		t.failed[len(t.failed)-1].why = reason(s)
		t.reason = false
	}
	if m := p.failed.FindStringSubmatch(s); m != nil {
		if id, err := job.ParseAttemptID(m[1]); err == nil && len(t.failed) < maxFailed {
			t.failed = append(t.failed, failedAttempt{id: id})
			t.reason = true
		}
	}
	if m := p.id.FindStringSubmatch(s); m != nil {
		if id, err := job.ParseID(m[2]); err == nil {
			t.id = id
			t.accepted = t.accepted || m[1] == "Running job"
		}
	}
	if m := p.url.FindStringSubmatch(s); m != nil {
		t.url = m[1]
	}
	if m := p.progress.FindStringSubmatch(s); m != nil {
		t.maps, t.reduces = percent(m[1]), percent(m[2])
	}
	if p.trouble.MatchString(s) {
		t.errors = append(t.errors, strings.TrimSpace(s))
		if len(t.errors) > maxErrors {
			t.errors = t.errors[1:]
		}
	}
}

// reason returns s, Hadoop's reason for a failure, but replaces Streaming's message about the
// program's exit code with a clearer one.
func reason(s string) string {
	if m := lines().exitCode.FindStringSubmatch(s); m != nil {
		return "the program exited with code " + m[1] + " without an error message"
	}
	return strings.TrimSpace(s)
}

func percent(s string) float32 {
	n, _ := strconv.Atoi(s)
	return min(float32(n)/100, 1)
}

// jobGroup is Hadoop's name for the group of the counters that only Hadoop maintains.
const jobGroup = "Job Counters"

// counter parses s, a line of the list of counters. A group follows one tab, and name=value follows
// two. counter returns false if the line is not part of the list.
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

// add adds v to the built-in counter in the given group whose name or display name is name. If
// there is none, it adds v to a user counter. It ignores unknown counters of GroupJob.
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

// snapshot returns the parts of the state that the progress display needs.
func (t *told) snapshot() (id job.ID, url string, maps, reduces float32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id, t.url, t.maps, t.reduces
}

func (t *told) isAccepted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accepted
}

// failures returns the failed attempts whose reason is known.
func (t *told) failures() []failedAttempt {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.failed)
	if t.reason {
		n--
	}
	return slices.Clone(t.failed[:n])
}
