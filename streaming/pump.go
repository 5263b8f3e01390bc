package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// side is what a mapper, combiner or reducer that is a command needs to know of its configuration.
type side struct {
	command   string
	in, out   format
	inKey     mapreduce.Type // of the records that it reads; nil = each file of the input has its own types
	inValue   mapreduce.Type
	inSep     string
	outSep    string
	keyFields int
	ignoreKey bool

	anyExit    bool  // a code other than 0 is fine
	minWritten int64 // records that a command must have written if it leaves input unread
}

// pump is one run of a command: records that are written go to it, and what comes back is emitted by a goroutine of its own.
// From feed to the end of finish the Emitter belongs to that goroutine.
type pump struct {
	side *side
	c    *mapreduce.Context
	proc *process

	eager  bool   // input is written record by record
	buf    []byte // input that was not written yet
	encode encoder
	unread bool // the command has closed its input: the rest is left out

	read    atomic.Int64 // records
	written atomic.Int64
	drained chan struct{} // closed when the output was read to its end; nil = nobody reads it yet
	err     error         // of the output; valid when drained is closed
	failed  atomic.Bool   // err is set: no use to go on
	ended   bool
}

// flushSize is how much input is gathered before it is written, in bytes.
const flushSize = 256 << 10

func newPump(c *mapreduce.Context, s *side) (*pump, error) {
	key, value := s.inKey, s.inValue
	if key == nil { // only the reader of a map's input knows
		key, value = c.RecordTypes()
	}
	if key == nil || value == nil {
		key, value = mapreduce.TextWritable, mapreduce.TextWritable // there is no record
	}
	p := &pump{side: s, c: c, encode: s.in.encoder(key, value, s.inSep, s.ignoreKey)}
	var err error
	if p.eager, err = c.Conf.Bool(keySkipping, false); err != nil {
		return nil, err
	}
	if p.proc, err = start(c, s.command); err != nil {
		return nil, err
	}
	return p, nil
}

// feed makes out the taker of the command's output. It is called once, before the first write.
func (p *pump) feed(out mapreduce.Emitter) {
	p.drained = make(chan struct{})
	go p.drain(out)
}

// write gives a record to the command.
func (p *pump) write(key, value []byte) error {
	if p.failed.Load() {
		return p.finish()
	}
	p.read.Add(1)
	if p.unread {
		return nil
	}
	p.buf = p.encode(p.buf, key, value)
	if len(p.buf) < flushSize && !p.eager {
		return nil
	}
	return p.flush()
}

// flush writes what was gathered. A command that closed its input although there is more has failed, unless the job allows that.
func (p *pump) flush() error {
	if err := p.send(); err != nil || !p.unread {
		return err
	}
	if err := p.finish(); err != nil {
		return err
	}
	if n := p.written.Load(); n < p.side.minWritten {
		return failure.New(failure.User, "write to", p.side.command, fmt.Errorf("Broken pipe: it ended after %d records without reading all of its input", n)).
			Fix("-D " + keyMinWritten + "=0 accepts that")
	}
	return nil
}

// send writes what was gathered, or finds that the command has closed its input.
func (p *pump) send() error {
	_, err := p.proc.stdin.Write(p.buf)
	if cap(p.buf) > 4*flushSize {
		p.buf = nil // after a huge record
	}
	p.buf = p.buf[:0]
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, syscall.EPIPE):
		return failure.New(failure.IO, "write to", p.side.command, err)
	}
	p.unread = true
	return nil
}

// finish closes the command's input, waits for its end, and tells how it went. Further calls give nil.
func (p *pump) finish() error {
	if p.ended {
		return nil
	}
	if len(p.buf) > 0 && !p.unread {
		if err := p.send(); err != nil { // the last piece may be left unread
			return err
		}
	}
	p.ended = true
	_ = p.proc.stdin.Close() // only a pipe's end: there is nothing to lose
	if p.drained == nil {
		p.feed(discard{})
	}
	code, err := p.proc.wait(p.drained)
	switch {
	case p.c.Context().Err() != nil:
		return p.c.Context().Err()
	case p.proc.refused != nil:
		return p.proc.refused
	case code != 0 && !p.side.anyExit && p.err == nil:
		return p.proc.exitError(code)
	case p.err != nil:
		return p.err
	}
	return err
}

// close ends a command that is still running, because its attempt failed elsewhere, and waits until it is gone.
func (p *pump) close() {
	if p == nil || p.proc == nil || p.ended {
		return
	}
	p.ended = true
	_ = p.proc.stdin.Close()
	if p.drained == nil {
		p.feed(discard{})
	}
	go p.proc.stop()
	_, _ = p.proc.wait(p.drained) // why the attempt failed is known already
}

// discard takes the output of a command that had no input: Hadoop has nobody either who would take it.
type discard struct{}

func (discard) Emit(_, _ []byte) error { return nil }

// drain emits all that the command writes. After an error it reads on, so that the command does not hang, but nothing counts.
func (p *pump) drain(out mapreduce.Emitter) {
	defer close(p.drained)
	defer func() {
		if x := recover(); x != nil { // of a partitioner, a comparator or a format
			p.err = failure.New(failure.User, "take the output of", p.side.command, fmt.Errorf("panic: %v\n%s", x, bytes.TrimSpace(debug.Stack())))
		}
		if p.err != nil {
			p.failed.Store(true)
			_ = p.proc.tree.Kill()
		}
	}()
	p.err = p.emitAll(out)
}

func (p *pump) emitAll(out mapreduce.Emitter) error {
	limit, err := recordLimit(p.c)
	if err != nil {
		return err
	}
	alive := &watched{p: p, last: time.Now()}
	in := p.side.out.decoder(alive, p.side.outSep, p.side.keyFields, limit)
	for {
		key, value, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = out.Emit(key, value)
		}
		if err != nil {
			return err
		}
		p.written.Add(1)
	}
}

// watched is the command's output; each piece of it is a sign of life, and now and then the status tells how much there was.
type watched struct {
	p    *pump
	last time.Time
}

const statusEvery = 10 * time.Second

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.p.proc.stdout.Read(b)
	if n > 0 {
		w.p.c.Progress()
	}
	if now := time.Now(); now.Sub(w.last) > statusEvery {
		w.last = now
		w.p.status()
	}
	return n, err
}

// status tells how many records went in and came out, unless the command has a status of its own.
func (p *pump) status() {
	const ours = "Records R/W="
	if s := p.c.Status(); s == "" || len(s) > len(ours) && s[:len(ours)] == ours {
		p.c.SetStatus(ours + strconv.FormatInt(p.read.Load(), 10) + "/" + strconv.FormatInt(p.written.Load(), 10))
	}
}

// recordLimit is the longest record that a command may write: a quarter of the task's memory.
func recordLimit(c *mapreduce.Context) (int, error) {
	key := "mapreduce.map.memory.mb"
	if c.Task().Attempt.Type.Letter() == 'r' {
		key = "mapreduce.reduce.memory.mb"
	}
	mb, err := c.Conf.TaskMemory(key, 128)
	return int(min(mb<<20/4, 1<<31-1)), err
}
