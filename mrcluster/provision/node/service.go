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
	// readyTimeout is how long a service may take until it serves: Java on a busy machine is slow.
	readyTimeout = 3 * time.Minute
	// stopGrace is how long a service may take to leave in good order; twice as long is what an agent is given.
	stopGrace = 8 * time.Second
	// settled is how long a service must have served so that the failures before are forgotten.
	settled = 10 * time.Second
	maxWait = 10 * time.Second
)

// role is how a service is run.
type role struct {
	name    string
	ports   int
	depends string // what it was told at its start of others; when that changes it is started anew
	// prepare writes its configuration and gives its command line; addrs are its addresses, as many as ports.
	prepare func(ctx context.Context, addrs []string) ([]string, error)
	// ready is nil as soon as it serves.
	ready func(ctx context.Context, addrs []string) error
	// publish tells others of it.
	publish func(e *Endpoints, addrs []string)
}

// service is the process of a role. It is used by the goroutine of its deployment.
type service struct {
	d       *deployment
	role    role
	tree    *proctree.Tree // nil = none runs
	ended   chan struct{}
	exit    proctree.Exit // read after ended
	addrs   []string
	began   time.Time
	served  bool // since it began
	fails   int
	last    error
	notNow  time.Time // it is not started before
	logFrom int64     // bytes of the log that former processes wrote
}

// round brings the service nearer to what is wanted. up means that it serves; an error that it has failed too often.
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

// check looks at the process: whether it has ended, whether it serves by now.
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
			s.failed(failure.New(failure.Timeout, "start", s.role.name, fmt.Errorf("%w; the end of its log: %s", err, s.logged())))
		}
	}
}

func (s *service) failed(err error) {
	s.last = err
	s.fails++
	s.notNow = time.Now().Add(min(lookSoon<<min(s.fails, 10), maxWait))
	s.d.node.cfg.Log.Warn("a service failed", "deployment", s.d.String(), "service", s.role.name, "times", s.fails, "error", err)
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

// launch starts a process that writes into the service's log.
func (s *service) launch(command []string) (*proctree.Tree, error) {
	log, err := os.OpenFile(s.d.log(s.role.name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
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

// run runs a command to its end, before the service itself.
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

// choose gives the addresses under which others know the service already, so that they need not be told anew, or free ones if there are
// none or if somebody else has taken them: clients of jobs that run would not find the JobTracker elsewhere.
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

// bindable tells whether nobody listens at any of the addresses.
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

// stop ends the process and all that it started.
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

// logged gives the end of what the process has logged.
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

var errNotReady = errors.New("it does not serve yet")
