package child

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/job/failure"
)

// The files of an attempt's log directory, as Hadoop's.
var streams = []string{"stdout", "stderr", "syslog"}

// logs are where an attempt writes. What the process writes to its standard output and error goes there too.
type logs struct {
	dir    string
	syslog *os.File
}

// openLogs redirects descriptors 1 and 2 into dir and opens the attempt's own log. With no dir everything goes to the
// process's standard error.
func openLogs(dir string) (*logs, error) {
	if dir == "" {
		return &logs{syslog: os.Stderr}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "make log directory", dir, err)
	}
	l := &logs{dir: dir}
	for fd, name := range streams {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return nil, failure.New(failure.KindOf(err), "open log", name, err)
		}
		if name == "syslog" {
			l.syslog = f
			break
		}
		err = unix.Dup2(int(f.Fd()), fd+1)
		f.Close()
		if err != nil {
			return nil, failure.New(failure.IO, "redirect", name, err)
		}
	}
	return l, nil
}

// print writes one line as Hadoop's logs look.
func (l *logs) print(level, format string, args ...any) {
	fmt.Fprintf(l.syslog, "%s %s [main] task: %s\n", time.Now().Format("2006-01-02 15:04:05,000"), level, fmt.Sprintf(format, args...))
}

// failed is where stacks of failed user code go: the log and standard error, which the client shows.
func (l *logs) failed() io.Writer {
	if l.syslog == os.Stderr {
		return os.Stderr
	}
	return io.MultiWriter(l.syslog, os.Stderr)
}

// close ends the log. Of files longer than limit only the last limit bytes stay; 0 = no limit.
func (l *logs) close(limit int64) {
	if l.dir == "" {
		return
	}
	_ = l.syslog.Close() // nothing can be done about a log that cannot be written
	if limit <= 0 {
		return
	}
	for _, name := range streams {
		_ = keepTail(filepath.Join(l.dir, name), limit)
	}
}

// keepTail shortens a file to its last n bytes, from the start of a line where there is one.
func keepTail(name string, n int64) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= n {
		return err
	}
	tail := make([]byte, n)
	if _, err := f.ReadAt(tail, info.Size()-n); err != nil {
		return err
	}
	if _, rest, ok := strings.Cut(string(tail), "\n"); ok {
		tail = []byte(rest)
	}
	if _, err := f.WriteAt(tail, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(tail)))
}
