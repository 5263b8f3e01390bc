package daemon

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// hosts determines which nodes can have TaskTrackers. It reads two files with host names and
// detects changes within hostsEvery.
type hosts struct {
	include, exclude string // names of the files; "" means none
	refuse           func(key, value string, why error) *failure.Error

	mu       sync.Mutex
	texts    [2][]byte
	allowed  []string
	excluded []string
}

const hostsEvery = 5 * time.Second

func newHosts(c *Config) (*hosts, error) {
	named := Config{Conf: c.Conf} // a copy, because the JobTracker can replace its configuration
	h := &hosts{include: c.HostsFile, exclude: c.ExcludeFile, refuse: named.refuse}
	_, err := h.read()
	return h, err
}

// read loads the files and reports whether they changed.
func (h *hosts) read() (bool, error) {
	var texts [2][]byte
	for i, name := range []string{h.include, h.exclude} {
		if name == "" {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return false, h.refuse([]string{conf.JobTrackerHostsFileName.Name, conf.JobTrackerHostsExcludeFileName.Name}[i],
				name, err)
		}
		texts[i] = b
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if bytes.Equal(texts[0], h.texts[0]) && bytes.Equal(texts[1], h.texts[1]) {
		return false, nil
	}
	h.texts, h.allowed, h.excluded = texts, hostNames(texts[0]), hostNames(texts[1])
	return true, nil
}

// hostNames parses names separated by white space. As in Hadoop, # begins a comment.
func hostNames(b []byte) []string {
	var list []string
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		list = append(list, strings.Fields(text)...)
	}
	return list
}

// allows reports whether a host can have TaskTrackers. As in Hadoop, an include file without names
// allows all hosts.
func (h *hosts) allows(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return (len(h.allowed) == 0 || slices.Contains(h.allowed, host)) && !slices.Contains(h.excluded, host)
}

func (h *hosts) check(host string) error {
	if h.allows(host) {
		return nil
	}
	return failure.New(failure.Permission, "register a TaskTracker on", host, errors.New("the host is excluded")).
		Fix("change the files named by " + conf.JobTrackerHostsFileName.Name + " and " +
			conf.JobTrackerHostsExcludeFileName.Name)
}

// watchHosts passes the excluded hosts to the machine at startup and after each change to the
// files.
func (d *Daemon) watchHosts(ctx context.Context) error {
	if d.hosts.include == "" && d.hosts.exclude == "" {
		return nil
	}
	timer := time.NewTicker(hostsEvery)
	defer timer.Stop()
	for changed := true; ; {
		if changed {
			if err := d.applyHosts(ctx); err != nil && ctx.Err() == nil {
				d.cfg.Log.Error("cannot exclude hosts", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		var err error
		if changed, err = d.hosts.read(); err != nil {
			d.cfg.Log.Error("cannot read the host files; keeping the previous lists", "error", err)
		}
	}
}

func (d *Daemon) applyHosts(ctx context.Context) error {
	known, err := look(ctx, d.owner, func(m *jobtracker.Machine) ([]string, error) {
		var list []string
		for _, h := range m.Trackers() {
			list = append(list, m.Tracker(h).Host)
		}
		return list, nil
	})
	if err != nil {
		return err
	}
	d.hosts.mu.Lock()
	excluded := slices.Clone(d.hosts.excluded)
	d.hosts.mu.Unlock()
	for _, host := range known {
		if !d.hosts.allows(host) && !slices.Contains(excluded, host) {
			excluded = append(excluded, host)
		}
	}
	d.cfg.Log.Info("hosts without TaskTrackers", "hosts", excluded)
	in := &jobtracker.Input{Kind: jobtracker.InHosts, Hosts: excluded}
	_, err = input(ctx, d.owner, in, func(*jobtracker.Output) struct{} { return struct{}{} })
	return err
}
