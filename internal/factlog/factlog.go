// Package factlog keeps the facts of a state machine on a local disk. A journal is a file that
// begins with a snapshot and grows as facts are appended. After enough growth, a new file with a
// new snapshot replaces it. The caller defines the encoding of facts (Format).
package factlog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/job/failure"
)

// Format defines the encoding of facts and names the owner of the journal.
type Format struct {
	// Header is the first bytes of every file.
	Header []byte
	// Mark ends the snapshot and begins every later write. It shows that the data before it was durable.
	Mark []byte
	// Replay reads a file from its start, applies all complete facts, and returns the offset of
	// their end. Open cuts off the rest. A crash can leave an incomplete record at the end, which
	// Replay must accept. For any other damage Replay must return an error.
	Replay func(r io.Reader) (good int64, err error)
	Owner  string // for messages, such as "JobTracker"
	Key    string // configuration key of the directory
	Repair string // last resort for a damaged journal, for an error message
}

// Log is an open journal. It is not safe for concurrent use.
type Log struct {
	dir      string
	format   Format
	number   int
	f        *os.File
	size     int64
	snapshot int64 // size of the file's snapshot, or of the whole file when Open replayed it; in bytes
	buf      []byte
	lock     *dirlock.Lock
}

// Writer is the part of Log that the owner of a state machine needs.
type Writer interface {
	Append(facts []byte) error
	Rotate(snapshot []byte) error
	Grown() bool
}

const pattern = "journal-%08d.facts"

// Torn describes the bytes that Open cut off the end of the journal. A crash leaves such bytes if
// it interrupts the writing of a record.
type Torn struct {
	File  string // the file with the removed bytes; "" means that Open removed none
	Bytes int64
}

// Open locks the directory, creates it if necessary, and replays the journal. If another process
// uses the directory, the error is of kind Exists. Open moves an incomplete record at the end to a
// file next to the journal.
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

// Newest returns the journal file that Open would read. If the directory has none, the error is of
// kind NotFound.
func Newest(dir string) (string, error) {
	j := &Log{dir: dir}
	numbers, err := j.numbers()
	if err == nil && len(numbers) == 0 {
		err = failure.New(failure.NotFound, "find a journal in", dir, nil)
	}
	if err != nil {
		return "", err
	}
	return j.path(numbers[len(numbers)-1]), nil
}

func (j *Log) load() (Torn, error) {
	numbers, err := j.numbers()
	if err != nil {
		return Torn{}, err
	}
	if len(numbers) == 0 {
		return Torn{}, j.Rotate(nil)
	}
	j.number = numbers[len(numbers)-1] // earlier files were replaced by this one but not yet removed
	if j.f, err = os.OpenFile(j.path(j.number), os.O_RDWR, 0); err != nil {
		return Torn{}, j.fail("open journal", err)
	}
	good, err := j.format.Replay(j.f)
	if err != nil {
		return Torn{}, failure.New(kindOf(err), "replay journal", j.path(j.number), err).
			Fix("restore the file from a copy, run the version of the program that wrote it, or " +
				cmp.Or(j.format.Repair, "move the file elsewhere to start with an empty state"))
	}
	torn, err := j.cut(good)
	if err != nil {
		return Torn{}, err
	}
	j.size, j.snapshot = good, good
	return torn, j.removeBefore(j.number)
}

// cut removes the bytes after the last good record and keeps them in a separate file. An
// administrator should inspect that file if it contains more than one unacknowledged record.
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
		return Torn{}, j.fail("save the torn end of the journal", err)
	}
	if err := errors.Join(j.f.Truncate(good), j.f.Sync()); err != nil {
		return Torn{}, j.fail("truncate journal", err)
	}
	_, err = j.f.Seek(good, io.SeekStart)
	return torn, err
}

// Append writes encoded facts and makes them durable. After an error the caller must stop using the
// journal, because some of the facts might be on the disk.
func (j *Log) Append(facts []byte) error {
	j.buf = append(append(j.buf[:0], j.format.Mark...), facts...)
	n, err := j.f.Write(j.buf)
	j.size += int64(n)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		return j.fail("write journal", err)
	}
	return nil
}

// minTail is the growth, in bytes, below which a journal is not rewritten.
const minTail = 4 << 20

// Grown reports whether the journal has grown enough, since its snapshot or since Open, to justify a
// new snapshot.
func (j *Log) Grown() bool { return j.size-j.snapshot > max(minTail, 2*j.snapshot) }

// Rotate begins a new file and removes the old one. snapshot contains the encoded facts that
// rebuild the current state. A crash at any point leaves at least one complete file.
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

// begin makes the new file complete and durable before it renames the file.
func (j *Log) begin(f *os.File, snapshot []byte) error {
	n, err := f.Write(slices.Concat(j.format.Header, snapshot, j.format.Mark))
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

// Close closes the file and unlocks the directory.
func (j *Log) Close() error {
	if j.f != nil {
		j.f.Close()
	}
	return j.lock.Release()
}

func (j *Log) path(number int) string { return filepath.Join(j.dir, fmt.Sprintf(pattern, number)) }

// numbers lists the numbers of the existing journal files.
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
