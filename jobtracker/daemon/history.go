package daemon

import (
	"context"
	"os"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// History shows the JobTracker's jobs as Hadoop's histories do. It is safe for concurrent use.
type History struct {
	d     *Daemon
	cache hadoop.Cache
}

// History returns the JobTracker's history.
func (d *Daemon) History() *History { return &History{d: d} }

// Ended calls f with the ended jobs that the JobTracker lists, in the order of their IDs, until f
// returns false.
func (h *History) Ended(ctx context.Context, f func(*hadoop.Summary) bool) error {
	list, err := h.d.Jobs().List(ctx, status.Filter{All: true})
	for _, j := range list {
		if j.FinishMs != 0 && !f(&hadoop.Summary{ID: j.ID, Name: j.Name, User: j.User, Queue: j.Queue,
			State: j.State.String(), Submit: j.SubmitMs, Start: j.StartMs, Finish: j.FinishMs,
			Maps: int64(j.Maps.Done), Reduces: int64(j.Reduces.Done)}) {
			break
		}
	}
	return err
}

// Report returns the report of a job from its facts. For an unfinished job, it also contains the
// progress of its attempts.
func (h *History) Report(ctx context.Context, id job.ID) (*hadoop.Report, error) {
	if err := h.d.allowReport(ctx, id); err != nil {
		return nil, err
	}
	if r := h.cache.Get(id); r != nil {
		return r, nil
	}
	r, err := h.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.State == "" {
		s, err := h.d.Jobs().Status(ctx, id, status.Query{Attempts: true, Counters: true})
		if err != nil {
			return nil, err
		}
		if !s.State.Terminal() {
			r.AddRunning(s)
			return r, nil
		}
		if r, err = h.read(ctx, id); err != nil { // the job has just ended
			return nil, err
		}
	}
	h.cache.Put(r)
	return r, nil
}

// allowReport returns an error unless the caller may see a job's details.
func (d *Daemon) allowReport(ctx context.Context, id job.ID) error {
	if err := d.own("find job", id); err != nil {
		return err
	}
	return d.allow(ctx, acl.ViewDetails, id, "")
}

func (h *History) read(ctx context.Context, id job.ID) (*hadoop.Report, error) {
	select { // the reports of large jobs need much memory
	case h.d.loads <- struct{}{}:
		defer func() { <-h.d.loads }()
	case <-ctx.Done():
		return nil, failure.New(failure.Timeout, "read history", id.String(), ctx.Err())
	}
	facts, err := h.d.archive.Facts(ctx, id)
	if err != nil {
		return nil, err
	}
	if facts == nil {
		return nil, errNoJob("find", id)
	}
	defer facts.Close()
	return hadoop.ReadFacts(facts, h.d.archive.ConfFile(id))
}

// Conf returns a job's configuration without secrets, and the path of its file.
func (h *History) Conf(ctx context.Context, id job.ID) (path string, list []hadoop.Property, err error) {
	if err := h.d.allowReport(ctx, id); err != nil {
		return "", nil, err
	}
	name := h.d.archive.ConfFile(id)
	f, err := os.Open(name)
	if err != nil {
		return "", nil, failure.New(failure.KindOf(err), "read", name, err)
	}
	defer f.Close()
	list, err = hadoop.ReadConf(f)
	for i, p := range list { // copies from earlier versions contain secrets
		list[i].Value = h.d.mask.Value(p.Name, p.Value)
	}
	return dfs.Path{Scheme: "file", Path: name}.String(), list, err
}
