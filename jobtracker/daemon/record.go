package daemon

import (
	"bufio"
	"errors"
	"log/slog"
	"os"

	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/jobtracker/inputlog"
	"github.com/howdah/howdah/jobtracker/policies"
)

// recorder writes every input of the machine to a file and hashes the machine's decisions. It is
// not safe for concurrent use. A nil recorder records nothing.
type recorder struct {
	f     *os.File
	w     *bufio.Writer
	start inputlog.Start
	hash  *history.Hash
	buf   []byte
	err   error
}

// startRecorder creates the recording, whose file must not exist. It saves the current state of m,
// which a call to recovered writes as the start of the recording.
func startRecorder(name string, cfg jobtracker.Config, x *policies.Choice, m *jobtracker.Machine) (*recorder, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "record inputs to", name, err)
	}
	r := &recorder{f: f, w: bufio.NewWriter(f), hash: history.NewHash(),
		start: inputlog.Start{Config: cfg, Scheduler: x.Name, Settings: x.Settings(), Files: x.Files,
			Speculator: x.Speculation}}
	facts := history.AppendHeader(nil)
	m.Snapshot(func(e *event.Event) {
		if b, err := history.AppendRecord(facts, e); err != nil {
			r.err = err
		} else {
			facts = b
		}
	})
	r.start.Journal = facts
	return r, nil
}

// recovered writes the start of the recording. now is the time at which the machine began to serve.
func (r *recorder) recovered(now int64) {
	if r == nil {
		return
	}
	r.start.Now = now
	b, err := inputlog.AppendStart(nil, &r.start)
	r.write(b, err)
}

func (r *recorder) input(in *jobtracker.Input) {
	if r == nil {
		return
	}
	b, err := inputlog.AppendRecord(r.buf[:0], in)
	r.write(b, err)
	r.buf = b
}

// flush writes buffered data to the file, so that little is lost if this process is killed.
func (r *recorder) flush() {
	if r == nil {
		return
	}
	if err := r.w.Flush(); r.err == nil {
		r.err = err
	}
}

func (r *recorder) write(b []byte, err error) {
	if err == nil {
		_, err = r.w.Write(b)
	}
	if r.err == nil {
		r.err = err
	}
}

func (r *recorder) fact(e *event.Event) {
	if r != nil {
		r.hash.Add(e)
	}
}

func (r *recorder) close(log *slog.Logger) error {
	err := errors.Join(r.err, r.w.Flush(), r.f.Close())
	if err != nil {
		return failure.New(failure.IO, "record inputs to", r.f.Name(), err)
	}
	log.Info("inputs recorded", "file", r.f.Name(), "decisions", r.hash.Count(), "hash", r.hash.String())
	return nil
}
