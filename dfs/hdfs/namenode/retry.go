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

// Failed is a call that did not succeed.
type Failed struct {
	Method string
	Class  string // the exception that the NameNode threw, without its Java package; "" if there is no answer
	Err    error
	// Uncertain: an earlier try of the same call was sent and its answer lost, so that it may have been executed although this
	// error says otherwise. The NameNode remembers calls and answers a repeated one as before, unless that is switched off:
	// whoever gets this looks.
	Uncertain bool
}

func (f *Failed) Error() string { return f.Err.Error() }
func (f *Failed) Unwrap() error { return f.Err }

// Refusal gives the NameNode's own words; "" if it did not answer.
func (f *Failed) Refusal() string {
	if f.Class == "" {
		return ""
	}
	return f.Err.Error()
}

// try is one call with its repetitions.
type try struct {
	c      *Client
	ctx    context.Context
	call   rpc.Call
	began  time.Time // later by what the first round took
	asked  int       // servers that were asked
	told   bool      // Log has heard of the wait
	unsure bool      // the call was sent and not answered
}

// How long to wait between tries: at first, and at most.
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
			// How long one of a pair was silent is not taken from the time for the other.
			t.began = t.began.Add(time.Since(asked))
		}
		if t.ctx.Err() != nil || !t.again(err, at) {
			return nil, t.failed(err)
		}
		if t.asked%len(t.c.servers) != 0 {
			continue // the next of a pair at once
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

// again decides whether the call is repeated, and turns to the other NameNode of a pair where that may help.
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
	default: // security, or ctx ended
		return false
	}
	return time.Since(t.began) < limit
}

// turn makes the next NameNode the first to ask, unless somebody else did so meanwhile. That the first one in the configuration is the
// standby is nothing to tell of.
func (t *try) turn(at int32) {
	next := (at + 1) % int32(len(t.c.servers))
	if next != at && t.c.active.CompareAndSwap(at, next) && t.c.served.Load() {
		t.c.o.Log(fmt.Sprintf("NameNode %s does not serve; asking %s", t.c.servers[at].addr, t.c.servers[next].addr))
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

// class gives the exception that counts. An HA pair wraps safe mode into RetriableException.
func class(e *rpc.RemoteError) string {
	name := e.Class[strings.LastIndexByte(e.Class, '.')+1:]
	if name == "RetriableException" && strings.Contains(e.Message, "SafeModeException") {
		return "SafeModeException"
	}
	return name[strings.LastIndexByte(name, '$')+1:]
}

// headline gives an exception's message without the Java stack that follows.
func headline(e *rpc.RemoteError) string {
	text, _, _ := strings.Cut(e.Message, "\n")
	text = strings.TrimPrefix(strings.TrimSpace(text), e.Class+": ")
	if text == "" {
		return e.Class
	}
	return text
}
