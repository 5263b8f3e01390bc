package hdfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// writer writes one file, block after block.
type writer struct {
	fs        *FS
	ctx       context.Context
	name      string // final name of the file
	path      string // path until Close: name, or a temporary file next to it
	id        uint64 // ID of the inode, which a rename does not change
	blockSize int64
	appending bool
	start     int64           // size before the append
	last      *transfer.Block // the last finished block
	out       *output         // block being written; nil between blocks
	pos       int64           // bytes written to the file
	failed    error           // first error; afterward only Abort is possible
	done      bool
}

// Create implements dfs.FileSystem.
func (f *FS) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	const op = "create"
	if err := begin(ctx, op, name); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	if o.Append {
		return f.append(ctx, name)
	}
	w := &writer{fs: f, ctx: ctx, name: name, path: name, blockSize: o.BlockSize}
	n := namenode.NewFile{Mode: o.Mode & 0o1777, Replication: o.Replication, BlockSize: o.BlockSize}
	if n.Mode == 0 {
		n.Mode = 0o666
	}
	n.Mode &^= f.o.Umask
	if n.Replication == 0 {
		n.Replication = f.o.Replication
	}
	if n.BlockSize == 0 {
		n.BlockSize = f.o.BlockSize
		w.blockSize = n.BlockSize
	}
	if o.Overwrite {
		if err := w.replace(&n, o.Mode == 0); err != nil {
			return nil, wrap(op, name, err)
		}
	}
	if err := w.create(n); err != nil {
		return nil, belowFile(op, name, wrap(op, name, err))
	}
	f.lease.add()
	return w, nil
}

// replace makes w write to a temporary file next to the existing file. Close then replaces the
// existing file. If keepMode is set, replace sets n's mode to the mode of the existing file. If
// there is no existing file, replace does nothing.
func (w *writer) replace(n *namenode.NewFile, keepMode bool) error {
	old, err := w.fs.stat(w.ctx, w.name)
	switch {
	case failure.Is(wrap("stat", w.name, err), failure.NotFound):
		return nil
	case err != nil:
		return err
	case old.Dir:
		return failure.New(failure.Exists, "create", w.name, errors.New("is a directory"))
	}
	if keepMode {
		n.Mode = old.Mode
	}
	w.path = path.Join(path.Dir(w.name), fmt.Sprintf(".%.200s.%016x.tmp", path.Base(w.name), rand.Uint64()))
	return nil
}

func (w *writer) create(n namenode.NewFile) error {
	s, err := w.fs.nn.Create(w.ctx, w.path, n)
	if err != nil && uncertain(err) && failure.Is(wrap("", "", err), failure.Exists) {
		s, err = w.mine(err)
	}
	if is(err, "UnknownCryptoProtocolVersionException") { // Java's message contains no remedy
		err = failure.New(failure.Usage, "create", w.name, errEncryptedZone).Fix(plainDirectory)
	}
	if err != nil {
		return err
	}
	w.id = s.FileID
	if err := writable(s); err != nil {
		w.remove()
		return failure.New(failure.Usage, "create", w.name, err).Fix(plainDirectory)
	}
	return nil
}

// writable returns an error for a file whose stored bytes differ from the bytes that a program
// writes.
func writable(s namenode.Status) error {
	switch {
	case s.Encrypted:
		return errEncryptedZone
	case s.Striped:
		return errors.New("howdah cannot write erasure-coded files")
	}
	return nil
}

var errEncryptedZone = errors.New("howdah cannot write files in encryption zones")

// plainDirectory is the remedy in writable's errors.
const plainDirectory = "write to a directory with replication and without encryption"

// mine checks whether our own earlier call, whose answer was lost, created the existing file. If
// so, we hold the file's lease, and mine returns the file's status. Otherwise, mine returns why.
func (w *writer) mine(why error) (namenode.Status, error) {
	s, ok, err := w.fs.nn.Stat(w.ctx, w.path)
	if err == nil && ok && s.Size == 0 {
		err = w.fs.nn.Fsync(w.ctx, w.path, s.FileID, -1)
	}
	if err != nil || !ok || s.Size > 0 {
		return s, why
	}
	return s, nil
}

func (f *FS) append(ctx context.Context, name string) (dfs.Writer, error) {
	const op = "append to"
	// The NameNode would also accept an append to an encrypted or erasure-coded file, but the append
	// would corrupt the file.
	before, _, err := f.nn.Stat(ctx, name)
	if err != nil {
		return nil, wrap(op, name, err)
	}
	if err := writable(before); err != nil {
		return nil, failure.New(failure.Usage, op, name, err).Fix(plainDirectory)
	}
	s, last, err := f.nn.Append(ctx, name)
	if err != nil {
		return nil, wrap(op, name, err)
	}
	f.lease.add()
	return &writer{fs: f, ctx: ctx, name: name, path: name, id: s.FileID, blockSize: s.BlockSize, appending: true,
		start: s.Size, last: last}, nil
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if err := w.check("write"); err != nil {
		return 0, err
	}
	n := 0
	for n < len(p) {
		if w.out == nil {
			w.out = newOutput(w)
		}
		k, err := w.out.write(p[n:])
		n += k
		w.pos += int64(k)
		if err == nil && w.out.full() {
			err = w.endBlock()
		}
		if err != nil {
			w.failed = wrap("write", w.name, err)
			return n, w.failed
		}
	}
	return n, nil
}

func (w *writer) check(op string) error {
	if w.done {
		return failure.New(failure.Usage, op, w.name, fs.ErrClosed)
	}
	if err := w.ctx.Err(); err != nil {
		return failure.New(failure.KindOf(err), op, w.name, err)
	}
	return w.failed
}

func (w *writer) endBlock() error {
	b, err := w.out.end()
	if err != nil {
		return err
	}
	w.last, w.out = &b, nil
	return nil
}

// Sync implements dfs.Writer. Afterward, the data is readable, and the data of the unfinished block
// is on the DataNodes' disks.
func (w *writer) Sync() error {
	if err := w.check("sync"); err != nil {
		return err
	}
	if w.out == nil {
		return nil
	}
	size, err := w.out.sync()
	if err == nil {
		err = w.fs.nn.Fsync(w.ctx, w.path, w.id, size)
	}
	if err != nil {
		w.failed = wrap("sync", w.name, err)
	}
	return w.failed
}

// Close completes the file. On failure, it does what Abort does.
func (w *writer) Close() error {
	if w.done {
		return nil
	}
	err := w.failed
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		w.Abort()
		return wrap("close", w.name, err)
	}
	w.done = true
	w.fs.lease.remove()
	return nil
}

func (w *writer) finish() error {
	if w.out != nil {
		if err := w.endBlock(); err != nil {
			return err
		}
	}
	if err := w.complete(w.ctx); err != nil {
		return err
	}
	if w.path == w.name {
		return nil
	}
	err := w.fs.nn.Rename(w.ctx, w.path, w.name, true)
	if err != nil && uncertain(err) && w.fs.moved(w.ctx, w.path, w.name) {
		return nil
	}
	return err
}

// How long Close waits for the replicas of the last block, and the first and longest pauses between
// checks.
const (
	completeLimit = 2 * time.Minute
	completeFirst = 5 * time.Millisecond
	completeMax   = 400 * time.Millisecond
)

func (w *writer) complete(ctx context.Context) error {
	pause := completeFirst
	for end := time.Now().Add(completeLimit); ; {
		ok, err := w.fs.nn.Complete(ctx, w.path, w.id, w.last)
		if err != nil || ok {
			return err
		}
		if time.Now().After(end) {
			return failure.New(failure.Timeout, "close", w.name,
				fmt.Errorf("the last block still has too few replicas after %v", completeLimit))
		}
		if err := lifecycle.Sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, completeMax)
	}
}

// abortLimit is the maximum duration of Abort.
const abortLimit = 20 * time.Second

// Abort implements dfs.Writer.
func (w *writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	defer w.fs.lease.remove()
	if w.appending {
		w.cut()
		return
	}
	if w.out != nil {
		w.out.close()
	}
	w.remove()
}

// remove deletes the file by its inode, because another client may have replaced the file at its
// path.
func (w *writer) remove() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), abortLimit)
	defer cancel()
	if err := w.fs.nn.Delete(ctx, fmt.Sprintf("/.reserved/.inodes/%d", w.id), false); err != nil {
		w.fs.o.Log(fmt.Sprintf("cannot remove the unfinished file %s: %v", w.path, err))
	}
}

// cut removes the data that this writer has appended.
func (w *writer) cut() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), abortLimit)
	defer cancel()
	var err error
	if w.out != nil {
		err = w.out.abandon(ctx)
		w.out.close()
	}
	if err == nil {
		err = w.complete(ctx)
	}
	if err == nil && w.last != nil {
		_, err = w.fs.nn.Truncate(ctx, w.path, w.start)
	}
	if err != nil {
		w.fs.o.Log(fmt.Sprintf("cannot truncate %s to its length before the append: %v", w.path, err))
	}
}
