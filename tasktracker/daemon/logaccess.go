package daemon

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

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
		queueACL(info.GetQueue()): info.GetQueueAcl()} {
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

// mayRead returns an error unless the sender of a request may read a job's logs. If access control
// lists are on but the job's jobACLs file is missing, only administrators may read the logs. If the
// job has no log directory, mayRead returns nil.
func (d *Daemon) mayRead(r *http.Request, id job.ID) error {
	var itself *auth.Acting // visitors act for themselves
	user, err := itself.For(r.Context(), "")
	if err != nil {
		return err
	}
	dir := filepath.Join(d.cfg.LogDir, userLogs, id.String())
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || d.cfg.ACLs.All(acl.ViewLogs, user) {
		return nil
	}
	c := conf.New()
	if err := c.LoadFile(filepath.Join(dir, jobACLs)); err != nil {
		d.log.Warn("cannot read who may see the logs of a job", "job", id.String(), "err", err)
		c = conf.New()
	}
	queue := conf.JobQueueName.Get(c)
	rules := *d.cfg.ACLs
	rules.Queues = map[string]acl.Queue{queue: {Administer: acl.Parse(c.Get(queueACL(queue)))}}
	return rules.Job(acl.ViewLogs, user, &acl.Job{ID: id.String(), Owner: conf.JobUserName.Get(c), Queue: queue,
		View: conf.JobACLViewJob.Get(c)})
}
