package hadoop

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// maxJobName is the maximum length of a job's name within a file name, in characters before
// escaping (mapreduce.jobhistory.jobname.limit).
const maxJobName = 50

// Folder returns the folder of a job's files, relative to the directory of finished jobs:
// YYYY/MM/DD/SERIAL. The date is the job's finish date in local time. SERIAL is the job number
// divided by 1000, as six digits.
func (j *Job) Folder() string {
	return fmt.Sprintf("%s/%06d", time.UnixMilli(j.Finished).Format("2006/01/02"), j.ID.Seq/1000)
}

// JHistName returns the name of the .jhist file:
// ID-SUBMIT-USER-NAME-FINISH-MAPS-REDUCES-STATE-QUEUE-START.jhist. Hadoop's JobHistoryServer builds
// its job list from these names.
func (j *Job) JHistName() string {
	part := func(s string) string { return strings.ReplaceAll(escapeName(s), "-", "%2D") }
	return fmt.Sprintf("%s-%d-%s-%s-%d-%d-%d-%s-%s-%d.jhist", j.ID, j.Submit, part(j.Spec.User), part(cut(j.Spec.Name)),
		j.Finished, j.Of[0].Succeeded, j.Of[1].Succeeded, j.State, part(j.Spec.Queue), j.Launched)
}

// ConfName returns the name of the configuration file that is stored with the history.
func (j *Job) ConfName() string { return j.ID.String() + "_conf.xml" }

// ClassicName returns the name of a history file in Hadoop 1's format: ID_SUBMIT_USER_NAME.
func (j *Job) ClassicName() string {
	part := func(s string) string { return strings.ReplaceAll(escapeName(s), "_", "%5F") }
	return fmt.Sprintf("%s_%d_%s_%s", j.ID, j.Submit, part(j.Spec.User), part(cut(j.Spec.Name)))
}

func cut(name string) string {
	r := []rune(name)
	if len(r) > maxJobName {
		r = r[:maxJobName]
	}
	return string(r)
}

// escapeName escapes a name as java.net.URLEncoder does. Unlike Go's url.QueryEscape, it escapes ~
// but not *.
func escapeName(s string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}

// A Summary is what the name of a .jhist file says about its job.
type Summary struct {
	ID                       job.ID
	Name, User, Queue, State string
	Submit, Start, Finish    int64 // in milliseconds since the epoch
	Maps, Reduces            int64 // numbers of tasks that succeeded
}

// ParseName parses the name of a .jhist file, as [Job.JHistName] returns it. Files of older versions
// of Hadoop lack the last fields.
func ParseName(name string) (s Summary, ok bool) {
	text, ok := strings.CutSuffix(name, ".jhist")
	f := strings.Split(text, "-")
	if !ok || len(f) < 8 {
		return Summary{}, false
	}
	for i, field := range f {
		if field, err := url.QueryUnescape(field); err == nil {
			f[i] = field
		}
	}
	id, err := job.ParseID(f[0])
	s = Summary{ID: id, User: f[2], Name: f[3], State: f[7], Queue: "default"}
	for _, n := range []struct {
		to   *int64
		text string
	}{{&s.Submit, f[1]}, {&s.Finish, f[4]}, {&s.Maps, f[5]}, {&s.Reduces, f[6]}} {
		if err == nil {
			*n.to, err = strconv.ParseInt(n.text, 10, 64)
		}
	}
	s.Start = s.Submit
	if len(f) > 8 {
		s.Queue = f[8]
	}
	if len(f) > 9 && err == nil {
		s.Start, err = strconv.ParseInt(f[9], 10, 64)
	}
	return s, err == nil
}

// Summarize returns the totals of a finished job from its facts.
func Summarize(facts io.Reader) (*Job, error) { return tell(facts, "", &jhist{report: newReport()}) }

// Summary returns what the name of the job's .jhist file says.
func (j *Job) Summary() Summary {
	return Summary{ID: j.ID, Name: cut(j.Spec.Name), User: j.Spec.User, Queue: j.Spec.Queue, State: j.State.String(),
		Submit: j.Submit, Start: j.Launched, Finish: j.Finished, Maps: int64(j.Of[0].Succeeded),
		Reduces: int64(j.Of[1].Succeeded)}
}

// A Property is a property of a job's configuration.
type Property struct {
	Name   string   `xml:"name"`
	Value  string   `xml:"value"`
	Source []string `xml:"source"` // where the value comes from, the latest last
}

// ReadConf reads a job's configuration, with the sources of its values.
func ReadConf(r io.Reader) ([]Property, error) {
	var c struct {
		XMLName  xml.Name   `xml:"configuration"`
		Property []Property `xml:"property"`
	}
	if err := xml.NewDecoder(r).Decode(&c); err != nil {
		return nil, failure.New(failure.Corrupt, "read", "configuration of a job", err)
	}
	return c.Property, nil
}
