package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// side contains the settings of a mapper, combiner, or reducer command.
type side struct {
	command   string
	in, out   format
	inKey     mapreduce.Type // type of the input keys; nil = each input file has its own types
	inValue   mapreduce.Type
	inSep     string
	outSep    string
	keyFields int
	ignoreKey bool

	anyExit    bool  // exit codes other than 0 are not errors
	minWritten int64 // minimum number of output records at which a command may leave input unread
}

// pump feeds records to a command and emits the command's output. Callers pass records to write; a
// separate goroutine emits the command's output. From feed until finish returns, only that
// goroutine may use the Emitter.
type pump struct {
	side *side
	c    *mapreduce.Context
	proc *process

	eager  bool   // write each input record immediately
	buf    []byte // buffered input
	encode encoder
	unread bool // the command has closed its input; drop the rest

	read    atomic.Int64 // number of input records
	written atomic.Int64
	drained chan struct{} // closed at the end of the output; nil = feed was not called
	err     error         // error from reading or emitting the output; valid after drained is closed
	failed  atomic.Bool   // err is set, so more input is useless
	ended   bool
}

// flushSize is the number of input bytes to buffer before a write.
const flushSize = 256 << 10

func newPump(c *mapreduce.Context, s *side) (*pump, error) {
	key, value := s.inKey, s.inValue
	if key == nil { // the reader of the map's input determines the types
		key, value = c.RecordTypes()
	}
	if key == nil || value == nil {
		key, value = mapreduce.TextWritable, mapreduce.TextWritable // the input has no records
	}
	p := &pump{side: s, c: c, encode: s.in.encoder(key, value, s.inSep, s.ignoreKey)}
	var err error
	if p.eager, err = conf.JobSkipRecords.Get(c.Conf); err != nil {
		return nil, err
	}
	if p.proc, err = start(c, s.command); err != nil {
		return nil, err
	}
	return p, nil
}

// feed starts to emit the command's output to out. Call it once, before the first write.
func (p *pump) feed(out mapreduce.Emitter) {
	p.drained = make(chan struct{})
	go p.drain(out)
}

// write passes a record to the command.
func (p *pump) write(key, value []byte) error {
	if p.failed.Load() {
		return p.finish()
	}
	p.read.Add(1)
	if p.unread {
		return nil
	}
	if len(key)+len(value) > hugeRecord {
		if err := p.writeHuge(key, value); err != nil || p.unread {
			return err
		}
	} else {
		p.buf = p.encode.append(p.buf, key, value)
	}
	if len(p.buf) < flushSize && !p.eager {
		return nil
	}
	return p.flush()
}

// hugeRecord is the size in bytes above which a record is not assembled in the buffer, because a copy
// might not fit in memory.
const hugeRecord = 4 * flushSize

// writeHuge passes a record to the command, except for a rest that remains in the buffer.
func (p *pump) writeHuge(key, value []byte) error {
	e := &p.encode
	if e.key.append != nil {
		if err := p.writeHalf(e.key, key); err != nil || p.unread {
			return err
		}
		p.buf = append(p.buf, e.separator...)
	}
	if e.value.append != nil {
		if err := p.writeHalf(e.value, value); err != nil || p.unread {
			return err
		}
	}
	p.buf = append(p.buf, e.end...)
	return nil
}

// writeHalf passes a key or value to the command. It copies only a part that is small or that must be
// converted.
func (p *pump) writeHalf(a appender, b []byte) error {
	if a.view == nil || len(b) <= hugeRecord {
		p.buf = a.append(slices.Grow(p.buf, len(b)+smallRead), b)
		return nil
	}
	if err := p.flush(); err != nil || p.unread {
		return err
	}
	p.buf = a.view(b) // send does not keep a buffer of this size
	return p.flush()
}

// flush writes the buffered input. If the command has closed its input early, flush returns an
// error unless the job permits that.
func (p *pump) flush() error {
	if err := p.send(); err != nil || !p.unread {
		return err
	}
	if err := p.finish(); err != nil {
		return err
	}
	if n := p.written.Load(); n < p.side.minWritten {
		return failure.New(failure.User, "write to", p.side.command,
			fmt.Errorf("Broken pipe: the command ended after %d records without reading all input", n)).
			Fix("use -D " + conf.StreamMinRecWrittenToEnableSkip.Name + "=0 to accept this")
	}
	return nil
}

// send writes the buffered input. If the command has closed its input, send sets unread.
func (p *pump) send() error {
	_, err := p.proc.stdin.Write(p.buf)
	if cap(p.buf) > hugeRecord {
		p.buf = nil // release the memory of a huge record
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

// finish closes the command's input, waits until the command ends, and returns its error. Later
// calls return nil.
func (p *pump) finish() error {
	if p.ended {
		return nil
	}
	if len(p.buf) > 0 && !p.unread {
		if err := p.send(); err != nil { // the command does not have to read the last part
			return err
		}
	}
	p.ended = true
	_ = p.proc.stdin.Close() // closing a pipe cannot lose data
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
		return p.proc.exitError(p.c, code)
	case p.err != nil:
		return p.err
	}
	return err
}

// close ends a command that is still running because its attempt failed elsewhere. It waits until
// the command is gone.
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
	_, _ = p.proc.wait(p.drained) // the attempt has already failed with another error
}

// discard drops the output of a command without input, as Hadoop does.
type discard struct{}

func (discard) Emit(_, _ []byte) error { return nil }

// drain emits all output of the command. After an error or a panic, it kills the command.
func (p *pump) drain(out mapreduce.Emitter) {
	defer close(p.drained)
	defer func() {
		if x := recover(); x != nil { // panic in a partitioner, comparator, or format
			p.err = failure.New(failure.User, "read the output of", p.side.command,
				fmt.Errorf("panic: %v\n%s", x, bytes.TrimSpace(debug.Stack())))
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

// watched is a reader of the command's output. Each read that returns data reports progress. About
// every statusEvery, a read also updates the status.
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

// status sets the task's status to the number of records in and out, unless the command sets the
// status itself.
func (p *pump) status() {
	const ours = "Records R/W="
	if s := p.c.Status(); s == "" || len(s) > len(ours) && s[:len(ours)] == ours {
		p.c.SetStatus(ours + strconv.FormatInt(p.read.Load(), 10) + "/" + strconv.FormatInt(p.written.Load(), 10))
	}
}

// recordLimit returns the maximum size in bytes of a line, key, or value of a command's output.
// This is a quarter of the task's memory.
func recordLimit(c *mapreduce.Context) (int, error) {
	key := &conf.MapMemoryMB
	if c.Task().Attempt.Type.Letter() == 'r' {
		key = &conf.ReduceMemoryMB
	}
	mb, err := key.Get(c.Conf)
	return int(min(mb<<20/4, 1<<31-1)), err
}
