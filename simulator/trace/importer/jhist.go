package importer

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

func (im *Import) jhist(path string, r *bufio.Reader) error {
	l := &lines{in: r, max: im.opt.MaxLine}
	encoding := ""
	for encoding == "" {
		line, err := l.next()
		if err != nil {
			im.damage(path, l.n, "the file ends before its first event")
			return nil
		}
		encoding = strings.TrimSpace(string(line))
	}
	h := &jhistReader{im: im, path: path}
	if encoding == hadoop.AvroBinary {
		schema, err := l.next()
		if err != nil {
			im.damage(path, l.n, "the file ends before its first event")
			return nil
		}
		h.binary(schema, r)
		return nil
	}
	// The schema line may be missing. JSON is readable without it, and a truncated file may lack
	// it.
	im.each(path, r, func(n int64, line []byte) {
		n += l.n
		if len(bytes.TrimSpace(line)) == 0 || hadoop.IsSchema(line) {
			return
		}
		h.jsonLine(n, line)
	})
	return nil
}

// jhistReader adds events to the book.
type jhistReader struct {
	im   *Import
	path string
	id   string // ID of the file's job
}

// jsonLine reads the events in the line.
func (h *jhistReader) jsonLine(n int64, line []byte) {
	if err := hadoop.JSONEvents(line, func(e map[string]any) { h.use(n, e) }); err != nil {
		h.im.damage(h.path, n, "%v", err)
	}
}

// binary reads the events of an Avro-Binary file. For error messages, each event counts as one line,
// starting at line 3.
func (h *jhistReader) binary(schema []byte, r *bufio.Reader) {
	d, err := hadoop.NewDecoder(schema, r)
	if err != nil {
		h.im.damage(h.path, 2, "%v", err)
		return
	}
	for n := int64(3); ; n++ {
		e, err := d.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			h.im.damage(h.path, n, "event %d: %v; the rest cannot be read", n-2, err)
			return
		}
		h.use(n, e)
	}
}

func (h *jhistReader) use(n int64, e map[string]any) {
	kind, body := hadoop.Content(e)
	if body == nil {
		h.im.damage(h.path, n, "the event has no content")
		return
	}
	if why := h.event(kind, body); why != "" {
		h.im.damage(h.path, n, "%s: %s", kind, why)
	}
}

// event adds the content of the event to the book. It returns the reason why the event is unusable,
// or "".
func (h *jhistReader) event(kind string, f hadoop.Record) string {
	switch {
	case kind == "AM_STARTED" || kind == "NORMALIZED_RESOURCE":
		return ""
	case strings.HasPrefix(kind, "JOB_"):
		return h.jobEvent(kind, f)
	case strings.HasPrefix(kind, "TASK_"):
		return h.taskEvent(kind, f)
	case strings.Contains(kind, "_ATTEMPT_"):
		return h.attemptEvent(kind, f)
	}
	return "the kind of event is unknown"
}

func (h *jhistReader) jobEvent(kind string, f hadoop.Record) string {
	id := f.Text("jobid")
	if id == "" {
		id = h.id
	}
	if !jobID.MatchString(id) {
		return "no job's id"
	}
	r := h.im.book.at(id)
	if r == nil {
		return "too many jobs"
	}
	h.id, r.told = r.ID, true
	keep := func(to *string, name string) {
		if s := f.Text(name); s != "" {
			*to = strings.Clone(s)
		}
	}
	later := func(to *int64, name string) {
		if n := f.Positive(name); n > 0 {
			*to = n
		}
	}
	switch kind {
	case "JOB_SUBMITTED":
		keep(&r.Name, "jobName")
		keep(&r.User, "userName")
		keep(&r.Queue, "jobQueueName")
		later(&r.Submit, "submitTime")
	case "JOB_INITED", "JOB_INFO_CHANGED":
		later(&r.Submit, "submitTime")
		later(&r.Launch, "launchTime")
		r.want[job.Map] = max(r.want[job.Map], int32(min(f.Positive("totalMaps"), maxMissing)))
		r.want[job.Reduce] = max(r.want[job.Reduce], int32(min(f.Positive("totalReduces"), maxMissing)))
	case "JOB_QUEUE_CHANGED":
		keep(&r.Queue, "jobQueueName")
	case "JOB_PRIORITY_CHANGED":
		r.Priority, _ = job.ParsePriority(f.Text("priority"))
	case "JOB_STATUS_CHANGED":
		r.State = jobState(f.Text("jobStatus"), r.State)
	case "JOB_FINISHED":
		later(&r.Finish, "finishTime")
		r.State = job.Succeeded
	case "JOB_FAILED", "JOB_KILLED", "JOB_ERROR":
		later(&r.Finish, "finishTime")
		r.State = jobState(f.Text("jobStatus"), map[string]job.State{"JOB_KILLED": job.Killed}[kind])
		if !r.State.Terminal() {
			r.State = job.Failed
		}
	}
	return ""
}

func (h *jhistReader) of(f hadoop.Record, id string) (t *task, why string) {
	_, t, why = h.im.classicOf(id, f.Text("taskType"))
	if t == nil && why == "" && f.Text("taskType") == "" {
		why = "no task's id"
	}
	return t, why
}

func (h *jhistReader) taskEvent(kind string, f hadoop.Record) string {
	t, why := h.of(f, f.Text("taskid"))
	if t == nil {
		return why
	}
	switch kind {
	case "TASK_STARTED":
		if s := f.Text("splitLocations"); s != "" {
			t.hosts = h.im.hosts(s)
		}
	case "TASK_FINISHED":
		t.succeeded = strings.Clone(f.Text("successfulAttemptId"))
	}
	return ""
}

func (h *jhistReader) attemptEvent(kind string, f hadoop.Record) string {
	id := f.Text("attemptId")
	t, why := h.of(f, taskOf(f.Text("taskid"), id))
	if t == nil {
		return why
	}
	if id == "" {
		return "no attempt's id"
	}
	a := t.attempt(id)
	if a == nil {
		return "too many attempts"
	}
	if host := f.Text("hostname"); host != "" {
		a.host = h.im.book.node(strings.TrimSuffix(f.Text("rackname"), "/") + "/" + host)
	} else if host := f.Text("trackerName"); host != "" && a.host == "" {
		a.host = h.im.classicHost(host)
	}
	switch {
	case strings.HasSuffix(kind, "_STARTED"):
		a.start = f.Positive("startTime")
	case strings.HasSuffix(kind, "_FINISHED"):
		a.state = job.AttemptSucceeded
	case strings.HasSuffix(kind, "_FAILED"):
		a.state = job.AttemptFailed
	case strings.HasSuffix(kind, "_KILLED"):
		a.state = job.AttemptKilled
	}
	if a.start == 0 {
		a.start = f.Positive("startTime") // newer events repeat the start time, in case the start event is missing
	}
	if n := f.Positive("finishTime"); n > 0 {
		a.finish = n
	}
	if n := f.Positive("shuffleFinishTime"); n > 0 {
		a.shuffle = n
	}
	if n := f.Positive("sortFinishTime"); n > 0 {
		a.sort = n
	}
	if n := counterOf(f, "REDUCE_SHUFFLE_BYTES", "HDFS_BYTES_READ", "FILE_BYTES_READ"); n > 0 {
		a.input = n
	}
	return ""
}

// taskOf returns the task's ID or, if that is missing, the attempt's ID, which contains the same job
// and index.
func taskOf(task, attempt string) string {
	if task == "" {
		return attempt
	}
	return task
}

// counterOf returns the value of the first named counter that is positive, or 0.
func counterOf(f hadoop.Record, names ...string) int64 {
	values := map[string]int64{}
	for _, g := range f.Counters("counters").Records("groups") {
		for _, c := range g.Records("counts") {
			values[c.Text("name")] = c.Positive("value")
		}
	}
	for _, name := range names {
		if n := values[name]; n > 0 {
			return n
		}
	}
	return 0
}
