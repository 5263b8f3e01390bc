package importer

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// wanted lists the settings that schedulers use. The importer drops all other settings of a
// job.xml.
var wanted = []string{
	conf.JobReduceSlowStartCompletedMaps.Name, conf.JobRunningMapLimit.Name,
	conf.JobRunningReduceLimit.Name,
	conf.MapMemoryMB.Name, conf.ReduceMemoryMB.Name, conf.MapCPUVCores.Name, conf.ReduceCPUVCores.Name,
	conf.MapSpeculative.Name, conf.ReduceSpeculative.Name, conf.JobMaxTaskFailuresPerTracker.Name,
	conf.JobPriority.Name, conf.JobQueueName.Name, conf.JobName.Name, conf.JobDeadline.Name,
	conf.FairSchedulerPool.Name, conf.JobProfile.Name,
}

const demand = "howdah.job.demand."

// keep returns the current name of the setting and reports whether the setting is wanted.
func keep(key string) (string, bool) {
	key = conf.Canonical(key)
	return key, slices.Contains(wanted, key) || strings.HasPrefix(key, demand)
}

// set records a setting of the job. It drops unwanted settings and values longer than 4096 bytes.
func (r *record) set(key, value string) {
	key, ok := keep(key)
	if !ok || len(value) > 4096 {
		return
	}
	if r.conf == nil {
		r.conf = map[string]string{}
	}
	r.conf[strings.Clone(key)] = strings.Clone(value)
}

// settings returns the recorded settings, sorted by name.
func settings(m map[string]string) []job.Property {
	var list []job.Property
	for k, v := range m {
		list = append(list, job.Property{Name: k, Value: v})
	}
	slices.SortFunc(list, func(a, b job.Property) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// applySettings sets fields of j that the log lacks to the values in j.Conf.
func applySettings(j *trace.Job) {
	for _, p := range j.Conf {
		switch p.Name {
		case conf.JobName.Name:
			if j.Name == "" {
				j.Name = p.Value
			}
		case conf.JobQueueName.Name:
			if j.Queue == "default" && p.Value != "" {
				j.Queue = p.Value
			}
		case conf.JobPriority.Name:
			if prio, ok := job.ParsePriority(p.Value); ok && j.Priority == job.Normal {
				j.Priority = prio
			}
		case conf.JobDeadline.Name:
			if n, err := strconv.ParseInt(p.Value, 10, 64); err == nil && n > 0 && j.Deadline == 0 {
				j.Deadline = n
			}
		}
	}
}

// maxProperties limits the number of properties in a job.xml.
const maxProperties = 100000

// readConf reads a job.xml into the job's record. If the file is truncated, readConf keeps the
// readable part and returns an error.
func readConf(r *record, in io.Reader) error {
	d := xml.NewDecoder(in)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for range maxProperties {
		t, err := nextStart(d, "property")
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var p struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		}
		if err := d.DecodeElement(&p, t); err != nil {
			return err
		}
		r.set(strings.TrimSpace(p.Name), strings.TrimSpace(p.Value))
	}
	return errors.New("the job has too many settings")
}

func nextStart(d *xml.Decoder, name string) (*xml.StartElement, error) {
	for {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		if s, ok := t.(xml.StartElement); ok && s.Name.Local == name {
			return &s, nil
		}
	}
}
