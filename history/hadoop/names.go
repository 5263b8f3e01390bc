package hadoop

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// maxJobName is how much of a job's name a file's name holds, before it is escaped (mapreduce.jobhistory.jobname.limit).
const maxJobName = 50

// Folder gives the folder of a job's files below the directory of finished jobs: YYYY/MM/DD/SERIAL, a serial number for each
// thousand jobs. The day is that of the job's end, in local time.
func (j *Job) Folder() string {
	return fmt.Sprintf("%s/%06d", time.UnixMilli(j.Finished).Format("2006/01/02"), j.ID.Seq/1000)
}

// JHistName gives the name of the .jhist file, from which Hadoop's JobHistoryServer takes its list of jobs:
// ID-SUBMIT-USER-NAME-FINISH-MAPS-REDUCES-STATE-QUEUE-START.jhist.
func (j *Job) JHistName() string {
	part := func(s string) string { return strings.ReplaceAll(escapeName(s), "-", "%2D") }
	return fmt.Sprintf("%s-%d-%s-%s-%d-%d-%d-%s-%s-%d.jhist", j.ID, j.Submit, part(j.Spec.User), part(cut(j.Spec.Name)), j.Finished,
		j.Of[0].Succeeded, j.Of[1].Succeeded, j.State, part(j.Spec.Queue), j.Launched)
}

// ConfName gives the name of the configuration's file beside the history.
func (j *Job) ConfName() string { return j.ID.String() + "_conf.xml" }

// ClassicName gives the name of the file of Hadoop 1: ID_SUBMIT_USER_NAME.
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

// escapeName escapes as java.net.URLEncoder does, which leaves * alone where Go does not, and the other way round with ~.
func escapeName(s string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}
