package admin

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Hosts changes which DataNodes an HDFS has, by the files that its NameNode reads: a host, an address, or either with :PORT, a
// line. All methods may be called concurrently; nobody else may write the files meanwhile.
type Hosts struct {
	Include string // dfs.hosts: who may join; "" = there is no such file, and an empty one means all
	Exclude string // dfs.hosts.exclude: who shall go

	mu sync.Mutex
}

// Join lets nodes join: they are listed in Include, where there is such a file with nodes in it, and no longer in Exclude. The
// NameNode is told; nodes that were being decommissioned are in service again at once.
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

// Decommission begins to take nodes out of service: the NameNode has their blocks copied to others. Await tells when that is
// done and the nodes may be stopped.
func (h *Hosts) Decommission(ctx context.Context, c *Client, nodes ...string) error {
	if h.Exclude == "" {
		return failure.New(failure.Config, "decommission", strings.Join(nodes, ", "), errors.New("there is no exclude file")).
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

// edit replaces a hosts file as a whole, so that the NameNode never reads half of it.
func edit(file string, change func([]string) []string) error {
	if file == "" {
		return nil
	}
	lines, err := readHosts(file)
	if err != nil {
		return err
	}
	text := strings.Join(append(change(lines), ""), "\n")
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return failure.New(failure.KindOf(err), "write", file, err)
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
		return failure.New(failure.KindOf(err), "write", file, err)
	}
	return nil
}

// readHosts reads the entries of a file, without comments; a missing file has none.
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

// Progress is how far the decommissioning of some nodes is.
type Progress struct {
	Going []DataNode // their blocks are being copied
	Gone  []DataNode // they may be stopped: decommissioned, or dead
}

// Progress looks at the nodes that entries of hosts files name.
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

// named reports whether an entry of a hosts file means the node.
func (d DataNode) named(entries []string) bool {
	port := d.Addr()[strings.LastIndexByte(d.Addr(), ':'):]
	return slices.ContainsFunc(entries, func(e string) bool {
		return e == d.IP || e == d.Host || e == d.Addr() || e == d.Host+port
	})
}

// pollPeriod is how often Await looks.
const pollPeriod = time.Second

// Await waits until all of the nodes may be stopped. progress hears of every look; nil = nobody does.
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
			return failure.New(failure.KindOf(ctx.Err()), "wait for the decommissioning of", strings.Join(nodes, ", "), ctx.Err())
		}
	}
}
