package daemon

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler/catalog"
)

// How files of scheduling policies are watched, as Hadoop's fair scheduler does: a look every ten seconds, and a file counts
// once it has been left alone for five, so that nobody is read in the middle of writing.
const (
	lookAtFiles  = 10 * time.Second
	settledAfter = 5 * time.Second
)

// stamp is what a change of a file shows in; zero = there is none.
type stamp struct {
	path string
	size int64
	time time.Time
}

// stamps looks at the files of the policy of a name.
func (p *policies) stamps(name string, c *conf.Config) []stamp {
	e, err := p.table.Find(name)
	if err != nil {
		return nil
	}
	list := make([]stamp, len(e.Files))
	for i, key := range e.Files {
		path, _ := catalog.FilePath(c, key)
		if info, err := os.Stat(path); err == nil {
			list[i] = stamp{path, info.Size(), info.ModTime()}
		}
	}
	return list
}

// saw notes how the files were when they were read.
func (p *policies) saw(list []stamp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = list
}

// news tells whether the files differ from what was read last.
func (p *policies) news(list []stamp) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !slices.Equal(list, p.seen)
}

// watchPolicy puts a new policy in place when the files of the present one have changed. A bad file is told once, and the
// policy stays as it is; so is one that does not fit the cluster.
func (d *Daemon) watchPolicy(ctx context.Context) error {
	ticker := time.NewTicker(d.lookAtFiles)
	defer ticker.Stop()
	var last []stamp
	var fit fit
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			last = d.lookAtPolicy(ctx, last)
			fit = d.lookAtFit(ctx, fit)
		}
	}
}

// lookAtPolicy looks once; last is how the files were at the look before.
func (d *Daemon) lookAtPolicy(ctx context.Context, last []stamp) []stamp {
	d.policies.changing.Lock()
	defer d.policies.changing.Unlock()
	now := d.policies.present()
	e, err := d.policies.table.Find(now.name)
	if err != nil || e.OnRefresh || len(e.Files) == 0 {
		return nil
	}
	list := d.policies.stamps(now.name, now.conf)
	if !d.policies.news(list) || !d.settled(list, last) {
		return list
	}
	d.policies.saw(list)
	if err := d.reread(ctx, now); err != nil && ctx.Err() == nil {
		d.cfg.Log.Error("the scheduler's files are bad; it goes on as it is", "scheduler", now.name, "error", err)
		d.policies.trouble(err)
	}
	return list
}

// settled tells whether nobody is writing the files: they have been left alone long enough, by their own time or, where that
// is another clock's, since the look before.
func (d *Daemon) settled(list, last []stamp) bool {
	if slices.Equal(list, last) {
		return true
	}
	for _, s := range list {
		// A file that is missing may be one that an editor is just replacing.
		if s == (stamp{}) || time.Since(s.time) < d.settledAfter {
			return false
		}
	}
	return true
}

func (d *Daemon) reread(ctx context.Context, now *choice) error {
	x, err := d.policies.make(now.name, now.conf, nil, d.slots(ctx))
	if err != nil {
		return err
	}
	if x.set, x.other = now.set, now.other; sameFiles(x.files, now.files) {
		d.policies.trouble(nil)
		return nil
	}
	return d.place(ctx, x, "its files changed")
}
