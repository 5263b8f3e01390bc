// Package factlog keeps the facts of a machine on a local disk: one file that begins with a snapshot and grows by appended facts,
// replaced by a new one with a fresh snapshot when it has grown enough. What a fact looks like is the caller's (Format).
package factlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/job/failure"
)

// Format says how facts are written and whose they are.
type Format struct {
	// Header begins every file.
	Header []byte
	// Replay reads a file from its beginning, applies all complete facts, and returns where they end. What follows there is cut off, so
	// it returns an error for anything but a record that was being written when the machine went down.
	Replay func(r io.Reader) (good int64, err error)
	Owner  string // "JobTracker": for messages
	Key    string // of the directory's configuration
}

// Log is the open journal of one directory. Its methods are called by one goroutine at a time.
type Log struct {
	dir      string
	format   Format
	number   int
	f        *os.File
	size     int64
	snapshot int64 // bytes of the file's first part
	lock     *dirlock.Lock
}

const pattern = "journal-%08d.facts"

// Torn tells what Open cut off the end of the journal: the record that was being written when the machine went down.
type Torn struct {
	File  string // where the bytes that were cut off are kept; "" = nothing was torn
	Bytes int64
}

// Open locks the directory, making it if need be, and replays the journal. A directory that another process uses is kind Exists. An
// incomplete record at the end is cut off and kept beside the journal.
func Open(dir string, format Format) (*Log, Torn, error) {
	lock, err := dirlock.Take(dir, 0o700, format.Owner, format.Key)
	if err != nil {
		return nil, Torn{}, err
	}
	j := &Log{dir: dir, format: format, lock: lock}
	torn, err := j.load()
	if err != nil {
		j.Close()
		return nil, Torn{}, err
	}
	return j, torn, nil
}

func (j *Log) load() (Torn, error) {
	numbers, err := j.numbers()
	if err != nil {
		return Torn{}, err
	}
	if len(numbers) == 0 {
		return Torn{}, j.Rotate(nil)
	}
	j.number = numbers[len(numbers)-1] // an earlier one was replaced by it and only not yet removed
	if j.f, err = os.OpenFile(j.path(j.number), os.O_RDWR, 0); err != nil {
		return Torn{}, j.fail("open journal", err)
	}
	good, err := j.format.Replay(j.f)
	if err != nil {
		return Torn{}, failure.New(kindOf(err), "replay journal", j.path(j.number), err).
			Fix("restore the file from a copy, or start the version of the program that wrote it; who moves it away begins anew without what it holds")
	}
	torn, err := j.cut(good)
	if err != nil {
		return Torn{}, err
	}
	j.size, j.snapshot = good, good
	return torn, j.removeBefore(j.number)
}

// cut removes what follows the last good record. The bytes are kept: if they are more than a record that was never
// acknowledged, somebody will want to look at them.
func (j *Log) cut(good int64) (Torn, error) {
	info, err := j.f.Stat()
	if err != nil {
		return Torn{}, j.fail("open journal", err)
	}
	if info.Size() == good {
		_, err := j.f.Seek(good, io.SeekStart)
		return Torn{}, err
	}
	torn := Torn{File: fmt.Sprintf("%s.torn-%d", j.path(j.number), good), Bytes: info.Size() - good}
	rest := make([]byte, torn.Bytes)
	if _, err := j.f.ReadAt(rest, good); err != nil && err != io.EOF {
		return Torn{}, j.fail("read journal", err)
	}
	if err := os.WriteFile(torn.File, rest, 0o600); err != nil {
		return Torn{}, j.fail("keep the torn end of the journal", err)
	}
	if err := errors.Join(j.f.Truncate(good), j.f.Sync()); err != nil {
		return Torn{}, j.fail("truncate journal", err)
	}
	_, err = j.f.Seek(good, io.SeekStart)
	return torn, err
}

// Append writes encoded facts and makes them durable. After an error the journal must not be used any more: how much of the
// facts is on the disk is not known.
func (j *Log) Append(facts []byte) error {
	n, err := j.f.Write(facts)
	j.size += int64(n)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		return j.fail("write journal", err)
	}
	return nil
}

// minTail keeps small journals from being rewritten all the time.
const minTail = 4 << 20

// Grown tells whether the journal has grown so much since its snapshot that a new one pays.
func (j *Log) Grown() bool { return j.size-j.snapshot > max(minTail, 2*j.snapshot) }

// Rotate begins a new file with a snapshot, encoded facts that rebuild the state after all that was appended so far, and
// removes the old file. A crash at any point leaves one of the two complete.
func (j *Log) Rotate(snapshot []byte) error {
	tmp := filepath.Join(j.dir, "journal.tmp")
	f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return j.fail("start journal", err)
	}
	if err := j.begin(f, snapshot); err != nil {
		f.Close()
		return j.fail("write snapshot", err)
	}
	if j.f != nil {
		j.f.Close()
	}
	j.f, j.number = f, j.number+1
	return j.removeBefore(j.number)
}

// begin makes the new file complete and durable before it gets its name.
func (j *Log) begin(f *os.File, snapshot []byte) error {
	n, err := f.Write(slices.Concat(j.format.Header, snapshot))
	if err != nil {
		return err
	}
	j.size, j.snapshot = int64(n), int64(n)
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), j.path(j.number+1)); err != nil {
		return err
	}
	return syncDir(j.dir)
}

// Close releases the directory.
func (j *Log) Close() error {
	if j.f != nil {
		j.f.Close()
	}
	return j.lock.Release()
}

func (j *Log) path(number int) string { return filepath.Join(j.dir, fmt.Sprintf(pattern, number)) }

// numbers lists the journal files that are there.
func (j *Log) numbers() ([]int, error) {
	entries, err := os.ReadDir(j.dir)
	if err != nil {
		return nil, j.fail("open journal", err)
	}
	var list []int
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), pattern, &n); err == nil && e.Name() == fmt.Sprintf(pattern, n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

func (j *Log) removeBefore(number int) error {
	numbers, err := j.numbers()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n < number {
			if err := os.Remove(j.path(n)); err != nil {
				return j.fail("remove old journal", err)
			}
		}
	}
	return nil
}

func (j *Log) fail(op string, err error) error {
	return failure.New(kindOf(err), op, j.dir, err)
}

func kindOf(err error) failure.Kind {
	if kind := failure.KindOf(err); kind != failure.Unknown {
		return kind
	}
	return failure.IO
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
