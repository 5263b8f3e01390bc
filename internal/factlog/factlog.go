// Package factlog stores the facts of a state machine on a local disk. A journal is a file that
// begins with a snapshot and grows as facts are appended. After enough growth, a new file with a
// new snapshot replaces it. The caller defines the encoding of facts (Format).
package factlog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// Format defines the encoding of facts and identifies the owner of the journal.
type Format struct {
	// Header is the first bytes of every file.
	Header []byte
	// Empty is the snapshot of a state without facts, with which the first file begins.
	Empty []byte
	// Replay reads a file from its start and applies all complete facts. It returns the offset good,
	// at which the last complete fact ends, and the offset at which the snapshot ends. Open cuts off
	// the bytes after good. A crash can leave an incomplete record at the end, which Replay must
	// accept. For any other damage Replay must return an error.
	Replay func(r io.Reader) (good, snapshot int64, err error)
	Owner  string // for messages, such as "JobTracker"
	Key    string // configuration key of the directory
	Repair string // last resort for a damaged journal, for an error message
	// Disk is the file system that the log writes to. nil means disk.OS.
	Disk disk.FS
}

// Log is an open journal. It is not safe for concurrent use.
type Log struct {
	dir      string
	format   Format
	disk     disk.FS
	number   int
	f        disk.File
	size     int64 // durable bytes of the file
	snapshot int64 // size of the file's snapshot in bytes
	lock     *dirlock.Lock

	rest    bool  // after the durable bytes, the file may contain bytes of a failed write
	unnamed bool  // the directory may still contain the name of a file that Rotate has withdrawn
	broken  error // the reason why the log accepts no more writes
}

// Writer contains the methods of Log that the owner of a state machine needs.
type Writer interface {
	Append(facts []byte) error
	Rotate(snapshot ...[]byte) error
	Grown() bool
}

const pattern = "journal-%08d.facts"

// Torn describes the bytes that Open cut off the end of the journal. A crash leaves such bytes if
// it interrupts the writing of a record.
type Torn struct {
	File    string // the file with the removed bytes; "" means that Open removed none
	Bytes   int64
	Journal string // the journal's file
	At      int64  // size of the journal's file afterward
}

// Open locks the directory, creates it if necessary, and replays the journal. If another process
// uses the directory, the error is of kind Exists. Open moves an incomplete record at the end to a
// file next to the journal. When Open returns, all replayed facts are durable.
func Open(dir string, format Format) (*Log, Torn, error) {
	j := newLog(dir, format)
	if err := disk.MkdirAll(j.disk, dir, 0o700); err != nil {
		return nil, Torn{}, failure.New(kindOf(err), "create directory", dir, err).
			Fix("set " + format.Key + " to a writable directory")
	}
	var err error
	if j.lock, err = dirlock.Take(dir, 0o700, format.Owner, format.Key); err != nil {
		return nil, Torn{}, err
	}
	torn, err := j.load()
	if err != nil {
		j.Close()
		return nil, Torn{}, err
	}
	return j, torn, nil
}

func newLog(dir string, format Format) *Log {
	j := &Log{dir: dir, format: format, disk: format.Disk}
	if j.disk == nil {
		j.disk = disk.OS
	}
	return j
}

// Newest returns the journal file that Open would read. If the directory has none, the error is of
// kind NotFound.
func Newest(dir string) (string, error) {
	j := newLog(dir, Format{})
	numbers, err := j.numbers()
	if err == nil && len(numbers) == 0 {
		err = failure.New(failure.NotFound, "find a journal in", dir, nil)
	}
	if err != nil {
		return "", err
	}
	return j.path(numbers[len(numbers)-1]), nil
}

// errNoHeader returns the error for a file without an intact header. Such a file cannot be repaired.
func errNoHeader(file string) error {
	return failure.New(failure.Corrupt, "replay journal", file,
		errors.New("the header at byte 0 is damaged or incomplete, which a crash cannot cause")).
		Fix("restore the file from a copy, or rename it, for example to FILE.damaged, to start with an empty state")
}

func (j *Log) load() (Torn, error) {
	numbers, err := j.numbers()
	if err != nil {
		return Torn{}, err
	}
	if len(numbers) == 0 {
		return Torn{}, j.Rotate(j.format.Empty)
	}
	j.number = numbers[len(numbers)-1] // earlier files were replaced by this one but not yet removed
	if j.f, err = j.disk.OpenFile(j.path(j.number), os.O_RDWR, 0); err != nil {
		return Torn{}, j.fail("open journal", err)
	}
	good, snapshot, err := j.format.Replay(j.f)
	if err == nil && good < int64(len(j.format.Header)) {
		return Torn{}, errNoHeader(j.path(j.number))
	}
	if err != nil {
		return Torn{}, failure.New(kindOf(err), "replay journal", j.path(j.number), err).
			Fix("restore the file from a copy, run the version of the program that wrote it, or " +
				cmp.Or(j.format.Repair, "move the file elsewhere to start with an empty state"))
	}
	torn, err := j.cut(good)
	if err != nil {
		return Torn{}, err
	}
	if err := errors.Join(j.writeAgain(good), j.disk.SyncDir(j.dir)); err != nil {
		return Torn{}, j.fail("sync journal", err)
	}
	j.size, j.snapshot = good, snapshot
	j.removeBefore(j.number)
	return torn, nil
}

// cut moves the bytes at and after offset good to a separate file, which an administrator can
// inspect.
func (j *Log) cut(good int64) (Torn, error) {
	info, err := j.f.Stat()
	if err != nil {
		return Torn{}, j.fail("open journal", err)
	}
	if info.Size() == good {
		return Torn{}, nil
	}
	torn := Torn{File: fmt.Sprintf("%s.torn-%d", j.path(j.number), good), Bytes: info.Size() - good,
		Journal: j.path(j.number), At: good}
	rest := make([]byte, torn.Bytes)
	if _, err := j.f.ReadAt(rest, good); err != nil && err != io.EOF {
		return Torn{}, j.fail("read journal", err)
	}
	if err := disk.Replace(j.disk, torn.File, rest, 0o600); err != nil {
		return Torn{}, j.fail("save the torn end of the journal", err)
	}
	if err := j.f.Truncate(good); err != nil {
		return Torn{}, j.fail("truncate journal", err)
	}
	return torn, nil
}

// maxAgain is the maximum number of bytes at the end of a file that writeAgain writes. It is
// several times the size at which package loop writes a batch.
const maxAgain = 32 << 20

// writeAgain writes the end of the file again and syncs it, because a killed predecessor may have
// written facts that it did not sync. If a predecessor's sync failed, the kernel treats the pages
// as written, so a sync alone would not write them.
func (j *Log) writeAgain(size int64) error {
	b := make([]byte, min(size, maxAgain))
	at := size - int64(len(b))
	if _, err := j.f.ReadAt(b, at); err != nil {
		return err
	}
	if _, err := j.f.WriteAt(b, at); err != nil {
		return err
	}
	return j.f.Sync()
}

// Append writes encoded facts and makes them durable. After an error, the journal contains the
// facts of all earlier successful calls, and the caller can call Append again. If a crash follows,
// the journal can also contain some facts of the failed call. Therefore, the caller must not write
// different facts before it has written these.
func (j *Log) Append(facts []byte) error {
	if err := j.settle(); err != nil {
		return j.fail("write journal", err)
	}
	_, err := j.f.WriteAt(facts, j.size)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		j.rest = true
		_ = j.settle() // frees the space; if it fails, the next call tries again
		return j.fail("write journal", err)
	}
	j.size += int64(len(facts))
	return nil
}

// settle removes the bytes that a failed Append may have left after the durable ones. Otherwise,
// the disk could contain a mixture of these bytes and those of the next Append.
func (j *Log) settle() error {
	if err := j.settleNames(); err != nil || !j.rest {
		return err
	}
	if err := j.f.Truncate(j.size); err != nil {
		return err
	}
	if err := j.f.Sync(); err != nil {
		return err
	}
	j.rest = false
	return nil
}

// settleNames makes the removal of a failed Rotate's file durable. It returns an error if the log
// accepts no more writes.
func (j *Log) settleNames() error {
	if j.broken != nil || !j.unnamed {
		return j.broken
	}
	err := j.disk.SyncDir(j.dir)
	j.unnamed = err != nil
	return err
}

// minTail is the number of bytes by which a journal must grow before it is rewritten.
const minTail = 4 << 20

// Grown reports whether the journal has grown enough, since its snapshot or since a failed Rotate, to
// justify a new snapshot.
func (j *Log) Grown() bool { return j.size-j.snapshot > max(minTail, 2*j.snapshot) }

// Rotate begins a new file and removes the old one. snapshot contains the encoded facts that
// rebuild the current state, in parts. A crash at any point leaves at least one complete file.
// After an error, the old file stays in use. The caller can append to it, unless Rotate could not
// withdraw the new file.
func (j *Log) Rotate(snapshot ...[]byte) error {
	if err := j.settleNames(); err != nil {
		return j.rotated(j.fail("write snapshot", err))
	}
	tmp := filepath.Join(j.dir, "journal.tmp")
	_ = j.disk.Remove(tmp) // do not overwrite the old file, because on the disk it may still have the name of a journal
	f, err := j.disk.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return j.rotated(j.fail("start journal", err))
	}
	size, err := j.begin(f, snapshot)
	if err != nil {
		f.Close()
		return j.rotated(j.fail("write snapshot", err))
	}
	if j.f != nil {
		j.f.Close()
	}
	j.f, j.number, j.size, j.snapshot = f, j.number+1, size, size
	j.rest, j.unnamed = false, false
	j.removeBefore(j.number)
	return nil
}

// rotated records that a Rotate has failed, and returns err. Grown then returns false until the
// journal has grown again.
func (j *Log) rotated(err error) error {
	j.snapshot = j.size
	return err
}

// begin makes the new file complete and durable before it renames the file. After a failure, it
// withdraws the new name, or sets broken if it cannot.
func (j *Log) begin(f disk.File, snapshot [][]byte) (size int64, err error) {
	for _, part := range append([][]byte{j.format.Header}, snapshot...) {
		if err == nil {
			_, err = f.Write(part)
			size += int64(len(part))
		}
	}
	if err == nil {
		err = f.Sync()
	}
	next := j.path(j.number + 1)
	if err == nil {
		err = j.disk.Rename(f.Name(), next)
	}
	if err != nil {
		_ = j.disk.Remove(f.Name())
		return 0, err
	}
	if err := j.disk.SyncDir(j.dir); err != nil {
		// A successor must not read the new file, because later facts go to the old one.
		if back := j.disk.Rename(next, f.Name()); back != nil {
			j.broken = failure.New(failure.Internal, "continue journal", next, errors.Join(err, back)).
				Fix("start the daemon again, which reads this file")
		}
		j.unnamed = true
		return 0, err
	}
	return size, nil
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

// removeBefore removes the journal files with lower numbers, which a later file has replaced. It
// ignores errors, because only the newest file counts, and the next Rotate or Open tries again.
func (j *Log) removeBefore(number int) {
	numbers, err := j.numbers()
	if err != nil {
		return
	}
	for _, n := range numbers {
		if n < number {
			_ = j.disk.Remove(j.path(n))
		}
	}
}

func (j *Log) fail(op string, err error) error {
	kind := kindOf(err)
	if p, ok := err.(*fs.PathError); ok {
		err = p.Err // the path in err can be a former name of the file
	}
	e := failure.New(kind, op, j.dir, err)
	if e.Kind == failure.DiskFull {
		e.Fix("free space on this disk")
	}
	return e
}

func kindOf(err error) failure.Kind {
	if kind := failure.KindOf(err); kind != failure.Unknown {
		return kind
	}
	return failure.IO
}
