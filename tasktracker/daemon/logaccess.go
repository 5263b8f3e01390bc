package daemon

import (
	"bytes"
	"context"
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
		conf.JobACLViewJob.Name: info.GetViewAcl(), conf.ClusterACLsEnabled.Name: strconv.FormatBool(info.GetAcls())} {
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
// mayRead returns nil. The file does not contain the administrators of the job's queue, because the
// job can move. mayRead asks the JobTracker for them if nothing else permits the request. Without an
// answer, it rejects the request.
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
	rules.Queues = nil
	j := &acl.Job{ID: id.String(), Owner: conf.JobUserName.Get(c), View: conf.JobACLViewJob.Get(c)}
	err = rules.Job(acl.ViewLogs, user, j)
	if err == nil || j.Owner == "" { // without a list, only administrators may
		return err
	}
	list, wrong := d.administrators(r.Context(), j.ID)
	if wrong != nil {
		d.log.Warn("cannot ask the JobTracker who may see the logs of a job", "job", j.ID, "err", wrong)
		return err
	}
	j.Queue = list.Queue
	rules.Queues = map[string]acl.Queue{j.Queue: {Administer: acl.Parse(list.List)}}
	return rules.Job(acl.ViewLogs, user, j)
}

// administrators asks the JobTracker who may currently administer the job because of its queue.
func (d *Daemon) administrators(ctx context.Context, job string) (list *wire.Administrators, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err = d.jt.call(ctx, func(ctx context.Context, jt wire.TrackersClient) (err error) {
		list, err = jt.GetAdministrators(ctx, &wire.GetAdministratorsRequest{Id: job})
		return err
	})
	return list, err
}
