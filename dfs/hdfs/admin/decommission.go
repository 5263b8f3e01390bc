package admin

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// Hosts adds and removes an HDFS cluster's DataNodes by editing the hosts files that the NameNode
// reads. A line identifies a node by host or address, optionally with :PORT. Hosts is safe for
// concurrent use, but no other program may write the files at the same time.
type Hosts struct {
	Include string // dfs.hosts: nodes that may join; "" means no file; if the file is empty, all nodes may join
	Exclude string // dfs.hosts.exclude: nodes that must leave

	mu sync.Mutex
}

// Join lets nodes join the cluster. It removes them from Exclude, adds them to Include if that file
// lists any node, and makes the NameNode reload the files. Nodes that were being decommissioned
// return to service immediately.
func (h *Hosts) Join(ctx context.Context, c *Client, nodes ...string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := edit(h.Exclude, func(all []string) []string { return without(all, nodes) }); err != nil {
		return err
	}
	err := edit(h.Include, func(all []string) []string {
		if len(all) == 0 {
			return all
		}
		return append(without(all, nodes), nodes...)
	})
	if err != nil {
		return err
	}
	return c.RefreshNodes(ctx)
}

// Decommission starts to take nodes out of service. The NameNode copies their blocks to other
// nodes. To wait until the nodes can be stopped, call Await.
func (h *Hosts) Decommission(ctx context.Context, c *Client, nodes ...string) error {
	if h.Exclude == "" {
		return failure.New(failure.Config, "decommission", strings.Join(nodes, ", "),
			errors.New("no exclude file is configured")).
			Fix("set dfs.hosts.exclude on the NameNode")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := edit(h.Exclude, func(all []string) []string { return append(without(all, nodes), nodes...) }); err != nil {
		return err
	}
	return c.RefreshNodes(ctx)
}

func without(all, nodes []string) []string {
	return slices.DeleteFunc(all, func(n string) bool { return slices.Contains(nodes, n) })
}

// edit replaces the entries of a hosts file with the result of change. Comments in the file are
// lost. edit replaces the file atomically, so that the NameNode never reads a partial file. It does
// nothing if file is "".
func edit(file string, change func([]string) []string) error {
	if file == "" {
		return nil
	}
	lines, err := readHosts(file)
	if err != nil {
		return err
	}
	text := strings.Join(append(change(lines), ""), "\n")
	if err := disk.Swap(file, []byte(text), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write", file, err)
	}
	return nil
}

// readHosts returns the entries of a hosts file. It ignores comments. If the file is missing, it
// returns no entries.
func readHosts(file string) ([]string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read", file, err)
	}
	defer f.Close()
	var out []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		line, _, _ := strings.Cut(s.Text(), "#")
		out = append(out, strings.Fields(line)...)
	}
	if err := s.Err(); err != nil {
		return nil, failure.New(failure.KindOf(err), "read", file, err)
	}
	return out, nil
}

// Progress describes how far the decommissioning of some nodes has progressed.
type Progress struct {
	Going []DataNode // nodes that cannot be stopped yet
	Gone  []DataNode // nodes that can be stopped: decommissioned or dead
}

// Progress returns the decommissioning progress of nodes, which are given as in hosts files.
func (c *Client) Progress(ctx context.Context, nodes ...string) (p Progress, err error) {
	all, err := c.Report(ctx)
	for _, d := range all {
		switch {
		case !d.named(nodes):
		case d.State == Decommissioned || !d.Live:
			p.Gone = append(p.Gone, d)
		default:
			p.Going = append(p.Going, d)
		}
	}
	return p, err
}

// named reports whether one of the entries, which have the format of a hosts file, identifies d.
func (d DataNode) named(entries []string) bool {
	port := d.Addr()[strings.LastIndexByte(d.Addr(), ':'):]
	return slices.ContainsFunc(entries, func(e string) bool {
		return e == d.IP || e == d.Host || e == d.Addr() || e == d.Host+port
	})
}

// pollPeriod is the time that Await waits between two polls.
const pollPeriod = time.Second

// Await waits until Progress returns no Going nodes. It calls progress, unless it is nil, after
// every successful poll.
func (c *Client) Await(ctx context.Context, nodes []string, progress func(Progress)) error {
	for {
		p, err := c.Progress(ctx, nodes...)
		if err != nil {
			return err
		}
		if progress != nil {
			progress(p)
		}
		if len(p.Going) == 0 {
			return nil
		}
		select {
		case <-time.After(pollPeriod):
		case <-ctx.Done():
			return failure.New(failure.KindOf(ctx.Err()), "wait for the decommissioning of",
				strings.Join(nodes, ", "), ctx.Err())
		}
	}
}
