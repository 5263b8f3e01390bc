// Package poolrun runs the manager of a pool of MR-clusters, and with it the pool's nodes, as processes of their own: for experiments
// and tests.
package poolrun

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Command says what to start.
type Command struct {
	Program string    // howdah
	Conf    string    // its configuration directory
	Env     []string  // nil = that of this process
	Log     io.Writer // gets what the manager logs; nil = nobody wants it
}

// Manager is a manager that serves.
type Manager struct {
	Address string // host:port for agents and commands
	Web     string // http://host:port
	Gossip  string // host:port

	cmd  *exec.Cmd
	done chan struct{}
}

// startTimeout bounds how long a manager may take until it serves, on a busy machine.
const startTimeout = 90 * time.Second

var readyLine = regexp.MustCompile(`^manager ready: address (\S+) web (\S+) gossip (\S+)$`)

// Start starts a manager and waits until it serves. One that does not is ended.
func Start(ctx context.Context, c Command) (*Manager, error) {
	bad := func(err error) error { return failure.New(failure.KindOf(err), "start", "the manager", err) }
	m := &Manager{cmd: exec.Command(c.Program, "mrcluster", "manager", "--config", c.Conf), done: make(chan struct{})}
	m.cmd.Env, m.cmd.Stderr = c.Env, c.Log
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, bad(err)
	}
	if err := m.cmd.Start(); err != nil {
		return nil, bad(err)
	}
	ready := make(chan []string, 1)
	go m.follow(out, ready)
	select {
	case x := <-ready:
		m.Address, m.Web, m.Gossip = x[1], x[2], x[3]
		return m, nil
	case <-m.done:
		return nil, bad(errors.New("it ended"))
	case <-time.After(startTimeout):
		err = fmt.Errorf("it does not serve after %v", startTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	m.Stop(startTimeout)
	return nil, bad(err)
}

// follow reads what the manager prints until it ends.
func (m *Manager) follow(out io.Reader, ready chan<- []string) {
	told := false
	for s := bufio.NewScanner(out); s.Scan(); {
		if x := readyLine.FindStringSubmatch(s.Text()); x != nil && !told {
			told = true
			ready <- x
		}
	}
	_ = m.cmd.Wait()
	close(m.done)
}

// Done is closed when the manager has ended.
func (m *Manager) Done() <-chan struct{} { return m.done }

// Kill ends the manager at once; its nodes go on.
func (m *Manager) Kill() {
	_ = m.cmd.Process.Kill()
	<-m.done
}

// Stop ends the manager as Ctrl-C does. It reports whether it ended by itself within the time; if not it was killed.
func (m *Manager) Stop(patience time.Duration) bool {
	_ = m.cmd.Process.Signal(os.Interrupt)
	select {
	case <-m.done:
		return true
	case <-time.After(patience):
		m.Kill()
		return false
	}
}

// WriteSite makes a configuration directory with settings.
func WriteSite(dir string, settings []conf.Property) error {
	c := conf.New()
	for _, p := range settings {
		c.Set(p.Name, p.Value, "site")
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = write(filepath.Join(dir, "mapred-site.xml"), c)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write configuration", dir, err)
	}
	return nil
}

func write(file string, c *conf.Config) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(c.WriteXML(f, true), f.Close())
}
