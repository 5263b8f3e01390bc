package hosts

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/build/cluster"
	"github.com/howdah/howdah/internal/shellwords"
	"github.com/howdah/howdah/mrcluster/provision/tool"
)

// A Shell runs a command line on a host and returns its standard output.
type Shell func(ctx context.Context, login, line string, in io.Reader, limit time.Duration) (string, error)

// SSH returns a Shell that runs the system's ssh program, so that the user's keys, agent, known
// hosts, and configuration apply. ssh never asks for a password. config is the path of a
// configuration file for ssh; "" means the user's own.
func SSH(config string) Shell {
	return func(ctx context.Context, login, line string, in io.Reader, limit time.Duration) (string, error) {
		words := []string{"ssh"}
		if config != "" {
			words = append(words, "-F", config)
		}
		words = append(words, "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15", "--",
			login, line)
		t := tool.Tool{Timeout: limit, Missing: "install OpenSSH's client", Stdin: in}
		return t.Run(ctx, "run ssh on", login, words, nil)
	}
}

// atOnce is the maximum number of hosts on which the commands of one step run at the same time.
const atOnce = 16

// each calls f for every host, and stores the results in the table.
func (c *Cluster) each(ctx context.Context, list []Host, f func(context.Context, Host) (string, error)) {
	parallel(list, func(h Host) {
		state, err := f(ctx, h)
		c.table.set(h, state, err)
	})
}

func parallel(list []Host, f func(Host)) {
	var g errgroup.Group
	g.SetLimit(atOnce)
	for _, h := range list {
		g.Go(func() error {
			f(h)
			return nil
		})
	}
	_ = g.Wait()
}

// call runs a verb of the host's script.
func (c *Cluster) call(ctx context.Context, h Host, limit time.Duration, verb string, args ...string) (string, error) {
	words := append([]string{"sh", "-s", verb, c.Dir}, args...)
	out, err := c.Shell(ctx, h.Login, shellwords.Join(words), strings.NewReader(cluster.Script), limit)
	return strings.TrimSpace(out), err
}

// table collects what happened on each host.
type table struct {
	mu   sync.Mutex
	rows map[string]Row
}

// Row is the state of one host in a table.
type Row struct {
	Host    string   `json:"host"`
	Daemons []Daemon `json:"daemons"`
	State   string   `json:"-"` // for people
	Error   string   `json:"error,omitempty"`
}

// Daemon is a daemon of a host.
type Daemon struct {
	Name    string `json:"name"`
	State   string `json:"state,omitempty"`   // RUNNING or STOPPED; "" if unknown, or if there is no cluster
	Version string `json:"version,omitempty"` // of its program
}

func (t *table) set(h Host, state string, err error) {
	r := Row{Host: h.Name, State: state}
	for _, name := range h.Daemons {
		r.Daemons = append(r.Daemons, Daemon{Name: name})
	}
	t.put(r, err)
}

func (t *table) put(r Row, err error) {
	if err != nil {
		r.State, r.Error = "failed", strings.Join(strings.Fields(err.Error()), " ")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil {
		t.rows = map[string]Row{}
	}
	t.rows[r.Host] = r
}

// Rows returns the result of the last command for each host, in the order of the host file.
func (c *Cluster) Rows() (rows []Row) {
	for _, h := range c.Hosts {
		if _, ok := c.table.rows[h.Name]; !ok {
			c.table.set(h, "unchanged", nil)
		}
		rows = append(rows, c.table.rows[h.Name])
	}
	return rows
}

// failed returns an error if a host of the table has failed.
func (c *Cluster) failed(op string) error {
	n := 0
	for _, r := range c.table.rows {
		if r.Error != "" {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return failedOn(op, fmt.Errorf("%d of %d hosts failed", n, len(c.Hosts)))
}
