package child

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/internal/logtail"
	"github.com/howdah/howdah/job/failure"
)

// streams contains the names of an attempt's log files, as in Hadoop.
var streams = []string{"stdout", "stderr", "syslog"}

// logs contains the attempt's own log. Its directory also has the files that receive the process's
// standard output and error. Earlier attempts of the process may have used the same files.
type logs struct {
	dir    string
	syslog *os.File
	from   [3]int64 // length of each file when the attempt started
}

// openLogs redirects file descriptors 1 and 2 to files in dir and opens the attempt's own log. If
// dir is empty, it redirects nothing, and the log is the process's standard error.
func openLogs(dir string) (*logs, error) {
	if dir == "" {
		return &logs{syslog: os.Stderr}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "create log directory", dir, err)
	}
	l := &logs{dir: dir}
	for fd, name := range streams {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return nil, failure.New(failure.KindOf(err), "open log", name, err)
		}
		if info, err := f.Stat(); err == nil {
			l.from[fd] = info.Size()
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

// print writes one line in the format of Hadoop's logs.
func (l *logs) print(level, format string, args ...any) {
	fmt.Fprintf(l.syslog, "%s %s [main] task: %s\n", time.Now().Format("2006-01-02 15:04:05,000"), level,
		fmt.Sprintf(format, args...))
}

// failed returns the writer for stack traces of failed user code. The writer writes to the log and
// to standard error, which the client shows.
func (l *logs) failed() io.Writer {
	if l.syslog == os.Stderr {
		return os.Stderr
	}
	return io.MultiWriter(l.syslog, os.Stderr)
}

// close closes the log. It truncates the attempt's part of each log file to its last limit bytes.
// If limit is 0 or negative, it keeps the whole files.
func (l *logs) close(limit int64) {
	if l.dir == "" {
		return
	}
	_ = l.syslog.Close() // log write errors have no remedy
	if limit <= 0 {
		return
	}
	for i, name := range streams {
		_ = keepTail(filepath.Join(l.dir, name), l.from[i], limit)
	}
}

// keepTail truncates the part of the file called name that starts at from to its last n bytes.
func keepTail(name string, from, n int64) error {
	info, err := os.Stat(name)
	if err != nil || info.Size()-from <= n {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return logtail.Cut(f, from, n)
}
