package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/howdah/howdah/job"
)

// avroJSON and avroBinary name the encodings of the MapReduce-on-YARN history. A file starts with a
// line that names its encoding and a line with the Avro schema. The events follow, each with a type
// and a record.
const (
	avroJSON   = "Avro-Json"
	avroBinary = "Avro-Binary"
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
	if encoding == avroBinary {
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
		if len(bytes.TrimSpace(line)) == 0 || bytes.HasPrefix(line, []byte(`{"type":"record"`)) {
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

// jsonLine reads the events in the line. Some versions of Hadoop write several events per line.
func (h *jhistReader) jsonLine(n int64, line []byte) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	for {
		var e map[string]any
		err := d.Decode(&e)
		if err == io.EOF {
			return
		}
		if err != nil {
			h.im.damage(h.path, n, "not an event: %v", err)
			return
		}
		h.use(n, e)
	}
}

func (h *jhistReader) use(n int64, e map[string]any) {
	body, _ := e["event"].(map[string]any)
	if body == nil {
		h.im.damage(h.path, n, "the event has no content")
		return
	}
	kind, _ := e["type"].(string)
	if why := h.event(kind, fields(body)); why != "" {
		h.im.damage(h.path, n, "%s: %s", kind, why)
	}
}

// fields unwraps the record in a union: {"org.apache.hadoop.mapreduce.jobhistory.JobSubmitted":
// {...}}.
func fields(body map[string]any) avroRecord {
	if len(body) == 1 {
		for _, v := range body {
			if inner, ok := v.(map[string]any); ok {
				return inner
			}
		}
	}
	return body
}

// avroRecord is a record with its fields. Any field may be missing or wrapped as a branch of a
// union.
type avroRecord map[string]any

func (r avroRecord) value(name string) any {
	v := r[name]
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		for key, inner := range m {
			switch key {
			case "string", "int", "long", "boolean", "array", "double", "float", "enum":
				return inner
			}
		}
	}
	return v
}

func (r avroRecord) text(name string) string {
	s, _ := r.value(name).(string)
	return s
}

// ms returns a time or number. It returns 0 for a missing or negative value.
func (r avroRecord) ms(name string) int64 {
	n := int64(0)
	switch v := r.value(name).(type) {
	case json.Number:
		n, _ = v.Int64()
	case int64:
		n = v
	case int32:
		n = int64(v)
	}
	if n < 0 {
		return 0
	}
	return n
}

// event adds the content of the event to the book. It returns the reason why the event is unusable,
// or "".
func (h *jhistReader) event(kind string, f avroRecord) string {
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

func (h *jhistReader) jobEvent(kind string, f avroRecord) string {
	id := f.text("jobid")
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
		if s := f.text(name); s != "" {
			*to = strings.Clone(s)
		}
	}
	later := func(to *int64, name string) {
		if n := f.ms(name); n > 0 {
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
		r.want[job.Map] = max(r.want[job.Map], int32(min(f.ms("totalMaps"), maxMissing)))
		r.want[job.Reduce] = max(r.want[job.Reduce], int32(min(f.ms("totalReduces"), maxMissing)))
	case "JOB_QUEUE_CHANGED":
		keep(&r.Queue, "jobQueueName")
	case "JOB_PRIORITY_CHANGED":
		r.Priority, _ = job.ParsePriority(f.text("priority"))
	case "JOB_STATUS_CHANGED":
		r.State = jobState(f.text("jobStatus"), r.State)
	case "JOB_FINISHED":
		later(&r.Finish, "finishTime")
		r.State = job.Succeeded
	case "JOB_FAILED", "JOB_KILLED", "JOB_ERROR":
		later(&r.Finish, "finishTime")
		r.State = jobState(f.text("jobStatus"), map[string]job.State{"JOB_KILLED": job.Killed}[kind])
		if !r.State.Terminal() {
			r.State = job.Failed
		}
	}
	return ""
}

func (h *jhistReader) of(f avroRecord, id string) (t *task, why string) {
	_, t, why = h.im.classicOf(id, f.text("taskType"))
	if t == nil && why == "" && f.text("taskType") == "" {
		why = "no task's id"
	}
	return t, why
}

func (h *jhistReader) taskEvent(kind string, f avroRecord) string {
	t, why := h.of(f, f.text("taskid"))
	if t == nil {
		return why
	}
	switch kind {
	case "TASK_STARTED":
		if s := f.text("splitLocations"); s != "" {
			t.hosts = h.im.hosts(s)
		}
	case "TASK_FINISHED":
		t.succeeded = strings.Clone(f.text("successfulAttemptId"))
	}
	return ""
}

func (h *jhistReader) attemptEvent(kind string, f avroRecord) string {
	id := f.text("attemptId")
	t, why := h.of(f, taskOf(f.text("taskid"), id))
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
	if host := f.text("hostname"); host != "" {
		a.host = h.im.book.node(strings.TrimSuffix(f.text("rackname"), "/") + "/" + host)
	} else if host := f.text("trackerName"); host != "" && a.host == "" {
		a.host = h.im.classicHost(host)
	}
	switch {
	case strings.HasSuffix(kind, "_STARTED"):
		a.start = f.ms("startTime")
	case strings.HasSuffix(kind, "_FINISHED"):
		a.state = job.AttemptSucceeded
	case strings.HasSuffix(kind, "_FAILED"):
		a.state = job.AttemptFailed
	case strings.HasSuffix(kind, "_KILLED"):
		a.state = job.AttemptKilled
	}
	if a.start == 0 {
		a.start = f.ms("startTime") // newer events repeat the start time, in case the start event is missing
	}
	if n := f.ms("finishTime"); n > 0 {
		a.finish = n
	}
	if n := f.ms("shuffleFinishTime"); n > 0 {
		a.shuffle = n
	}
	if n := f.ms("sortFinishTime"); n > 0 {
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
func counterOf(f avroRecord, names ...string) int64 {
	counters, _ := f.value("counters").(map[string]any)
	if counters == nil {
		return 0
	}
	values := map[string]int64{}
	groups, _ := unwrapCounters(counters).value("groups").([]any)
	for _, g := range groups {
		m, _ := g.(map[string]any)
		counts, _ := avroRecord(m).value("counts").([]any)
		for _, c := range counts {
			m, _ := c.(map[string]any)
			values[avroRecord(m).text("name")] = avroRecord(m).ms("value")
		}
	}
	for _, name := range names {
		if n := values[name]; n > 0 {
			return n
		}
	}
	return 0
}

// unwrapCounters unwraps counters from a branch of a union.
func unwrapCounters(m map[string]any) avroRecord {
	if _, ok := m["groups"]; ok {
		return m
	}
	return fields(m)
}
