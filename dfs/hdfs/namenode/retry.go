package namenode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/internal/lifecycle"
)

// Failed is the error of a failed call.
type Failed struct {
	Method string
	Class  string // NameNode's exception without its Java package; "" for other failures
	Err    error
	// Uncertain reports whether the answer to one of the attempts was lost, so that the NameNode may
	// have executed the call. The NameNode's retry cache, if enabled, returns the first answer for a
	// retried call. Otherwise, the caller must check the outcome. An attempt that the end of ctx
	// interrupts does not set Uncertain.
	Uncertain bool
}

func (f *Failed) Error() string { return f.Err.Error() }
func (f *Failed) Unwrap() error { return f.Err }

// Refusal returns the message of the NameNode's exception, or "" if there is none.
func (f *Failed) Refusal() string {
	if f.Class == "" {
		return ""
	}
	return f.Err.Error()
}

// A try is one call with its retries.
type try struct {
	c      *Client
	ctx    context.Context
	call   rpc.Call
	began  time.Time // start of the call; for an HA pair, plus the duration of the first round
	asked  int       // number of calls to servers
	told   bool      // the wait has been logged
	unsure bool      // the answer to an attempt was lost after the call was sent
}

// The first and the longest wait between rounds. A round calls each NameNode once.
const (
	firstPause = 200 * time.Millisecond
	maxPause   = 2 * time.Second
)

func (t *try) run() ([]byte, error) {
	pause := firstPause
	for {
		at, asked := t.c.active.Load(), time.Now()
		body, err := t.once(t.c.servers[at])
		if err == nil {
			return body, nil
		}
		if t.asked++; len(t.c.servers) > 1 && t.asked <= len(t.c.servers) {
			// A silent NameNode does not reduce the time for the other one in its pair.
			t.began = t.began.Add(time.Since(asked))
		}
		if t.ctx.Err() != nil || !t.again(err, at) {
			return nil, t.failed(err)
		}
		if t.asked%len(t.c.servers) != 0 {
			continue // call the other NameNode in the pair immediately
		}
		if !t.told && time.Since(t.began) > 3*time.Second {
			t.told = true
			t.c.o.Log(fmt.Sprintf("waiting for the NameNode (%s): %v", t.call.Method, t.failed(err)))
		}
		if err := lifecycle.Sleep(t.ctx, pause); err != nil {
			return nil, t.failed(err)
		}
		pause = min(2*pause, maxPause)
	}
}

func (t *try) once(s *server) ([]byte, error) {
	conn, err := s.connection(t.ctx)
	if err != nil {
		return nil, err
	}
	body, err := conn.Do(t.ctx, t.call)
	t.call.Retry++
	if err == nil {
		t.c.reached.Store(true)
		t.c.served.Store(true)
		return body, nil
	}
	var lost *rpc.LostError
	if errors.As(err, &lost) && lost.Sent {
		t.unsure = true
	}
	return nil, err
}

// again reports whether to retry the call after err. If the other NameNode in a pair might succeed,
// again switches to it.
func (t *try) again(err error, at int32) bool {
	var lost *rpc.LostError
	var remote *rpc.RemoteError
	limit := t.c.o.Patience
	switch {
	case errors.As(err, &lost):
		if !t.c.reached.Load() {
			limit = t.c.o.FirstContact
		}
		t.turn(at)
	case errors.As(err, &remote):
		t.c.reached.Store(true)
		switch class(remote) {
		case "StandbyException", "ObserverRetryOnActiveException":
			t.turn(at)
		case "SafeModeException":
			limit = t.c.o.SafeMode
		case "RetriableException", "RetryStartFileException", "ServerTooBusyException":
		default:
			return false
		}
	default: // a security error, or ctx ended
		return false
	}
	return time.Since(t.began) < limit
}

// turn makes calls start with the next NameNode, unless another call has already switched. at is
// the index of the NameNode that failed. Before a call has succeeded, turn does not log the switch,
// because the configuration may list the standby first.
func (t *try) turn(at int32) {
	next := (at + 1) % int32(len(t.c.servers))
	if next != at && t.c.active.CompareAndSwap(at, next) && t.c.served.Load() {
		t.c.o.Log(fmt.Sprintf("NameNode %s is not active; asking %s", t.c.servers[at].addr, t.c.servers[next].addr))
	}
}

func (t *try) failed(err error) error {
	f := &Failed{Method: t.call.Method, Err: err, Uncertain: t.unsure}
	var remote *rpc.RemoteError
	if errors.As(err, &remote) {
		f.Class = class(remote)
		f.Err = errors.New(headline(remote))
	}
	return f
}

// class returns the class of the exception that matters. An HA pair wraps SafeModeException in
// RetriableException.
func class(e *rpc.RemoteError) string {
	name := e.Class[strings.LastIndexByte(e.Class, '.')+1:]
	if name == "RetriableException" && strings.Contains(e.Message, "SafeModeException") {
		return "SafeModeException"
	}
	return name[strings.LastIndexByte(name, '$')+1:]
}

// headline returns an exception's message without the Java stack trace.
func headline(e *rpc.RemoteError) string {
	text, _, _ := strings.Cut(e.Message, "\n")
	text = strings.TrimPrefix(strings.TrimSpace(text), e.Class+": ")
	if text == "" {
		return e.Class
	}
	return text
}
