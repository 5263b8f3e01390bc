package daemon

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/disk"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// jobACLs is the name of the file in a job's log directory that lists who may read the logs, as in
// Hadoop. Logs outlive the job's other files. The directory belongs to the TaskTracker.
const jobACLs = "job-acls.xml"

func queueACL(queue string) string { return "mapred.queue." + queue + ".acl-administer-jobs" }

// saveACLs writes the jobACLs file in dir, a job's log directory, unless the file exists. It does
// not sync the file. If a power failure leaves it incomplete, only administrators can read the
// logs.
func saveACLs(dir string, info *wire.JobInfo) error {
	name := filepath.Join(dir, jobACLs)
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	c := conf.New()
	for key, value := range map[string]string{conf.JobUserName.Name: info.GetUser(),
		conf.JobQueueName.Name: info.GetQueue(), conf.JobACLViewJob.Name: info.GetViewAcl(),
		queueACL(info.GetQueue()):    info.GetQueueAcl(),
		conf.ClusterACLsEnabled.Name: strconv.FormatBool(info.GetAcls())} {
		c.Set(key, value, "JobTracker")
	}
	var text bytes.Buffer
	err := c.WriteXML(&text, true)
	if err == nil {
		err = disk.Swap(name, text.Bytes(), 0o600) // several of the job's attempts can start at the same time
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write", name, err)
	}
	return nil
}

// mayRead returns an error unless the sender of a request may read a job's logs. Access control
// lists are on if the configuration of this TaskTracker says so, or if they were on at the
// JobTracker when the job was submitted. If they are on but the job's jobACLs file is missing, or
// if the file is damaged, only administrators may read the logs. If the job has no log directory,
// mayRead returns nil.
func (d *Daemon) mayRead(r *http.Request, id job.ID) error {
	var itself *auth.Acting // visitors act for themselves
	user, err := itself.For(r.Context(), "")
	if err != nil {
		return err
	}
	dir := filepath.Join(d.cfg.LogDir, userLogs, id.String())
	if _, err := os.Stat(dir); user == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	rules := *d.cfg.ACLs
	c := conf.New()
	err = c.LoadFile(filepath.Join(dir, jobACLs))
	on := false
	if err == nil {
		on, err = conf.ClusterACLsEnabled.Get(c)
	}
	if errors.Is(err, fs.ErrNotExist) && !rules.Enabled {
		return nil
	}
	if err != nil {
		d.log.Warn("cannot read who may see the logs of a job", "job", id.String(), "err", err)
		c, on = conf.New(), true
	}
	rules.Enabled = rules.Enabled || on
	queue := conf.JobQueueName.Get(c)
	rules.Queues = map[string]acl.Queue{queue: {Administer: acl.Parse(c.Get(queueACL(queue)))}}
	return rules.Job(acl.ViewLogs, user, &acl.Job{ID: id.String(), Owner: conf.JobUserName.Get(c), Queue: queue,
		View: conf.JobACLViewJob.Get(c)})
}
