package hadoop

import (
	"fmt"
	"net/url"
	"strings"
	"time"
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
