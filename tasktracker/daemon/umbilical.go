package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

const (
	// A message of more than largeMessage bytes must arrive within messageTimeout. Only maxLarge
	// such messages are in memory at a time. Other children wait.
	largeMessage   = 16 << 10
	maxLarge       = 4
	messageTimeout = 5 * time.Second
)

// read handles the child's messages until the connection ends. It returns an error only if the
// child violates the protocol. A child can be any program, so read limits what a child can do. A
// message can be at most as large as a report to the JobTracker, which includes its content. read
// handles only one message at a time.
func (c *child) read(conn net.Conn) error {
	size, parts := rpc.Limits(c.d.cfg.RPC.MaxMessage)
	r := frame.NewLimited(bufio.NewReader(conn), size, parts)
	ctx, end := context.WithCancel(c.d.base)
	defer end()
	for {
		n, err := r.Next()
		if err == nil {
			err = c.readMessage(ctx, r, n)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded) ||
			errors.Is(err, syscall.ECONNRESET) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readMessage reads a message of n bytes and returns after the machine has handled it. A request to
// commit is handled in the background.
func (c *child) readMessage(ctx context.Context, r *frame.Reader, n int) error {
	if n > largeMessage {
		select {
		case c.d.large <- struct{}{}:
			defer func() { <-c.d.large }()
		case <-ctx.Done():
			return io.EOF
		}
		late := time.AfterFunc(messageTimeout, func() {
			c.d.log.Warn("child is too slow to send a message", "child", c.handle, "bytes", n)
			c.kill()
		})
		defer late.Stop()
	}
	m := &umbilical.FromChild{}
	if err := r.Read(m); err != nil {
		return err
	}
	switch {
	case m.Ready != nil && m.Ready.GetProtocol() != umbilical.Version:
		return failure.New(failure.Config, "start task", "", fmt.Errorf("the job's program was built with another version "+
			"of howdah: its protocol is %d, and that of the TaskTracker is %d", m.Ready.GetProtocol(), umbilical.Version)).
			Fix("build the program with the version of howdah that runs on the cluster")
	case m.CommitPending:
		if err := c.once(&c.asked, "the attempt asked again to commit"); err != nil {
			return err
		}
		c.d.work.Go(func() { c.askCommit(ctx) })
		return nil
	case m.Done != nil || m.Failed != nil:
		if err := c.once(&c.over, "the attempt ended again"); err != nil {
			return err
		}
	}
	in := c.translate(m)
	c.d.ask(func() { c.d.step(&in) })
	return nil
}

// once checks a message that a child may send only once for each attempt. It returns an error if
// the child has already sent such a message about its attempt. said is the attempt in the last such
// message.
func (c *child) once(said *job.Attempt, what string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *said == c.attempt {
		return failure.New(failure.User, "read message", "", errors.New(what))
	}
	*said = c.attempt
	return nil
}

func (c *child) translate(m *umbilical.FromChild) tasktracker.Input {
	in := tasktracker.Input{Child: c.handle}
	switch {
	case m.Ready != nil:
		in.Kind = tasktracker.InReady
	case m.InHand != nil:
		in.Kind, in.Range = tasktracker.InInHand, job.Range{Start: m.InHand.GetStart(), Length: m.InHand.GetLength()}
	case m.FetchFailed != nil:
		in.Kind = tasktracker.InFetchFailed
		in.Map = job.Attempt{Task: job.Task{Job: c.jobSeq(), Type: job.Map, Index: m.FetchFailed.GetMap()},
			N: m.FetchFailed.GetAttempt()}
	case m.Done != nil:
		in.Kind, in.Progress, in.Files = tasktracker.InDone, fromProgress(m.Done.GetLast()), fromFiles(m.Done.GetFile())
		in = c.ended(in)
	case m.Failed != nil:
		in.Kind, in.Progress = tasktracker.InFailed, fromProgress(m.Failed.GetLast())
		in.Failure, in.Text = fromKind(m.Failed.GetKind()), m.Failed.GetText()
		in = c.ended(in)
	default:
		in.Kind, in.Progress = tasktracker.InProgress, fromProgress(m.GetProgress())
		c.meter.count(in.Progress, c.kind())
	}
	return in
}

// ended adds the usage of all of the attempt's processes to in, a child's message that its attempt
// has ended. If the out-of-memory killer has killed one of these processes, ended turns in into a
// failure.
func (c *child) ended(in tasktracker.Input) tasktracker.Input {
	return c.meter.close(in, c.kind())
}

// kind returns the type of the child's attempt.
func (c *child) kind() job.TaskType {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempt.Type
}

// jobSeq returns the number of the job to which the child's attempt belongs. Messages about maps
// need it. A child sends these only after it has received an attempt.
func (c *child) jobSeq() int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempt.Job
}

// pen is the state of the goroutine that writes to a child. The goroutine writes orders, memory
// grants, and, for a reducer, map outputs as they become known.
type pen struct {
	c      *child
	w      *frame.Writer
	feed   *completions // completions for the reducer that the child is running; nil if there is none
	cursor int          // number of events that the child has received

	attempt job.Attempt // the attempt that the child was ordered to run
	name    string      // the attempt's name
	changed bool        // the child has been ordered to change to its job's user
}

func (p *pen) write(stop <-chan struct{}) {
	for {
		events, more := p.feed.after(p.cursor, maxCompletions)
		if len(events) > 0 {
			p.cursor += len(events)
			p.send(&umbilical.ToChild{Completions: &umbilical.Completions{Event: events}})
			select { // orders have priority
			case o := <-p.c.orders:
				p.obey(o)
			default:
			}
			continue
		}
		select {
		case <-stop:
			return
		case <-more:
		case o := <-p.c.orders:
			p.obey(o)
		case g := <-p.c.grants:
			if g.attempt == p.attempt {
				p.send(&umbilical.ToChild{Memory: &umbilical.Memory{Attempt: p.name, Mb: int32(g.bytes >> 20),
					Millis: g.lease.Milliseconds()}})
			}
		}
	}
}

// obey carries out one order. If it cannot prepare an attempt, it reports the attempt as failed.
func (p *pen) obey(o order) {
	if o.launch == nil {
		p.send(o.msg)
		return
	}
	msg, err := o.launch.prepare(p.c)
	if err != nil {
		p.c.d.post(tasktracker.Input{Kind: tasktracker.InFailed, Child: p.c.handle, Failure: failure.KindOf(err),
			Text: err.Error()})
		return
	}
	if err := p.c.meter.begin(o.launch.attempt, p.c.d.cfg.Groups.limits(o.launch, p.c.d.cfg.VCores)); err != nil {
		p.c.d.log.Warn("attempt runs without its limits", "attempt", msg.Attempt, "err", err)
	}
	if j := o.launch.job; j.account != nil && !p.changed {
		p.changed = true
		p.send(&umbilical.ToChild{Become: p.become(j)})
	}
	p.send(&umbilical.ToChild{Launch: msg})
	p.feed, p.cursor = o.launch.feed, 0
	p.attempt, p.name = o.launch.attempt, msg.Attempt
}

// become returns the order that makes a child run as the job's user. Until then, the child is the
// TaskTracker's own program and runs as root. A child works only for jobs of one user, so its user
// never changes again.
func (p *pen) become(j *localJob) *umbilical.Become {
	a, cfg := j.account, &p.c.d.cfg
	home, shell := account.Home(a.Name)
	b := &umbilical.Become{Uid: uint32(a.UID), Gid: uint32(a.GID), Groups: a.Groups,
		Env: []string{"HOME=" + home, "USER=" + a.Name, "LOGNAME=" + a.Name, "SHELL=" + shell}}
	if p.c.meter.group == nil || !p.c.d.groups.LimitsProcesses() {
		b.Processes = uint64(cfg.Processes * int64(cfg.Slots[job.Map]+cfg.Slots[job.Reduce]))
	}
	if j.program != cfg.Program.Path {
		b.Program = j.program
	}
	return b
}

// send sends a message to the child. It ignores write errors, because read detects that the child
// has ended.
func (p *pen) send(m *umbilical.ToChild) {
	if err := p.w.Write(m); err != nil {
		p.c.d.log.Debug("cannot send to child", "child", p.c.handle, "err", err)
	}
}
