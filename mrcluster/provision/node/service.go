package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job/failure"
)

const (
	// readyTimeout limits how long a service can take to start serving. Java is slow on a busy
	// machine.
	readyTimeout = 3 * time.Minute
	// stopGrace is how long a service may take to shut down cleanly. An agent gets more than twice
	// as long.
	stopGrace = 8 * time.Second
	// settled is how long a service must serve before its earlier failures no longer count.
	settled = 10 * time.Second
	maxWait = 10 * time.Second
)

// A role describes how to run a service.
type role struct {
	name    string
	ports   int
	depends string // addresses of other services in its configuration; a change restarts this service
	// prepare writes the service's configuration and returns its command line. addrs holds one
	// address for each port.
	prepare func(ctx context.Context, addrs []string) ([]string, error)
	// ready returns nil once the service serves.
	ready func(ctx context.Context, addrs []string) error
	// publish adds the service's addresses to e.
	publish func(e *Endpoints, addrs []string)
}

// A service runs the process of a role. Only its deployment's goroutine calls its methods.
type service struct {
	d       *deployment
	role    role
	tree    *proctree.Tree // nil = not running
	ended   chan struct{}
	exit    proctree.Exit // valid after ended
	addrs   []string
	began   time.Time
	served  bool // since it began
	fails   int
	last    error
	notNow  time.Time // earliest next start
	logFrom int64     // size of the log before this process started
}

// round takes the next step to run the service that r describes. up reports whether the service is
// up. err is the last failure once the service has failed startTries times.
func (s *service) round(ctx context.Context, r role) (up bool, err error) {
	if s.tree != nil && s.role.depends != r.depends {
		s.stop()
		s.fails = 0
	}
	s.role = r
	if s.tree != nil {
		s.check(ctx)
	}
	if s.tree == nil && !time.Now().Before(s.notNow) {
		if err := s.start(ctx); err != nil {
			s.failed(err)
		}
	}
	if s.tree != nil && s.served {
		return true, nil
	}
	if s.fails >= startTries {
		return false, s.last
	}
	return false, nil
}

// check finds out whether the process has ended and whether it serves. It stops a process that is
// not ready in time.
func (s *service) check(ctx context.Context) {
	select {
	case <-s.ended:
		s.tree = nil
		s.failed(failure.New(failure.Node, "run", s.role.name, fmt.Errorf("%v; the end of its log: %s", s.exit, s.logged())))
		return
	default:
	}
	up := time.Since(s.began)
	switch {
	case s.served:
		if up > settled {
			s.fails = 0
		}
	default:
		err := s.role.ready(ctx, s.addrs)
		if err == nil {
			s.served = true
			s.d.services.ports.keep(s.role.name, s.addrs)
		} else if up > readyTimeout && ctx.Err() == nil {
			s.stop()
			s.failed(failure.New(failure.Timeout, "start", s.role.name,
				fmt.Errorf("%w; the end of its log: %s", err, s.logged())))
		}
	}
}

func (s *service) failed(err error) {
	s.last = err
	s.fails++
	s.notNow = time.Now().Add(min(lookSoon<<min(s.fails, 10), maxWait))
	s.d.node.cfg.Log.Warn("a service failed", "deployment", s.d.String(), "service", s.role.name, "times", s.fails,
		"error", err)
}

func (s *service) start(ctx context.Context) error {
	addrs, err := s.choose()
	if err != nil {
		return err
	}
	command, err := s.role.prepare(ctx, addrs)
	if err != nil {
		return err
	}
	s.logFrom = size(s.d.log(s.role.name))
	tree, err := s.launch(command)
	if err != nil {
		return err
	}
	s.tree, s.ended, s.addrs, s.began, s.served = tree, make(chan struct{}), addrs, time.Now(), false
	go func(ended chan struct{}) {
		s.exit, _ = tree.Wait()
		close(ended)
		s.d.look()
	}(s.ended)
	return nil
}

// launch starts a process that writes to the service's log.
func (s *service) launch(command []string) (*proctree.Tree, error) {
	log, err := os.OpenFile(s.d.log(s.role.name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "open log of", s.role.name, err)
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "open", os.DevNull, err)
	}
	defer null.Close()
	program, err := exec.LookPath(command[0])
	if err != nil {
		return nil, failure.New(failure.NotFound, "start", s.role.name, err)
	}
	return s.d.node.spawner.Start(proctree.Spec{Path: program, Args: command, Dir: s.d.dir,
		Env: append(os.Environ(), mark(s.d.node.cfg.Dir)), Files: []*os.File{null, log, log}})
}

// run runs a command that prepares the service, and waits until the command ends.
func (s *service) run(ctx context.Context, command []string) error {
	s.logFrom = size(s.d.log(s.role.name))
	tree, err := s.launch(command)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = tree.Kill() })
	defer stop()
	exit, err := tree.Wait()
	if err == nil && (exit.Code != 0 || exit.Signal != 0) {
		err = failure.New(failure.Failed, "prepare", s.role.name, fmt.Errorf("%v; the end of its log: %s", exit, s.logged()))
	}
	return err
}

func size(file string) int64 {
	i, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return i.Size()
}

// choose returns the addresses for a start. It prefers the last known ones because clients of
// running jobs would not find a JobTracker elsewhere. It returns free ones if none are known, or if
// several starts have failed and another program uses the known ones.
func (s *service) choose() ([]string, error) {
	if known := s.d.services.ports.of(s.role.name, s.role.ports); known != nil {
		if addrs := s.d.node.addrs(known); s.fails < startTries || bindable(addrs) {
			return addrs, nil
		}
	}
	found, err := freeport.Find(s.role.ports)
	if err != nil {
		return nil, err
	}
	return s.d.node.addrs(found), nil
}

// bindable reports whether all addresses are free.
func bindable(addrs []string) bool {
	for _, a := range addrs {
		l, err := net.Listen("tcp", a)
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}

func (n *Node) addrs(ports []int) []string {
	var out []string
	for _, p := range ports {
		out = append(out, net.JoinHostPort(n.cfg.Host, strconv.Itoa(p)))
	}
	return out
}

// stop ends the process and its descendants.
func (s *service) stop() {
	if s.tree == nil {
		return
	}
	_ = s.tree.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(stopGrace):
		_ = s.tree.Kill()
		<-s.ended
	}
	s.tree, s.served = nil, false
}

// logged returns the end of the process's log.
func (s *service) logged() string {
	b, err := os.ReadFile(s.d.log(s.role.name))
	if err != nil {
		return err.Error()
	}
	b = b[min(s.logFrom, int64(len(b))):]
	b = b[max(0, len(b)-1000):]
	if len(b) == 0 {
		return "it is empty"
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(b)), "?")
}

var errNotReady = errors.New("the service is not ready")
