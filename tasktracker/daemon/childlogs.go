package daemon

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// The attempts of a child that runs several of one job log to the files of the first of them, one
// after another. Creating files and directories takes most of the time of a small attempt. Hadoop shares
// log files in the same way, but creates a directory and an index for each attempt.

// logIndex is the name of the file in a job's log directory that says where in which files the
// attempts of reused children logged. It has one line for each attempt: its ID, the ID of the
// attempt in whose directory the files are, and the length of each file when the attempt started.
// The attempt's part of a file ends where the next attempt with the same files starts. If an
// attempt has several lines, the last one counts. The file belongs to the TaskTracker. The job's user
// can read it.
const logIndex = "log.index"

// lengths contains a number of bytes for each of logFilters.
type lengths [4]int64

// childLogs contains the log files of a child's current or last attempt. The zero value has none.
// It is safe for concurrent use.
type childLogs struct {
	mu   sync.Mutex
	job  *localJob // nil if there was no attempt
	id   string    // ID of the attempt
	home string    // ID of the attempt in whose directory the files are
	from lengths   // where the attempt's part of each file starts
	told [4]bool   // a log line has reported that the attempt's log was too long
}

// begin prepares the log files of the child's next attempt and returns their directory.
func (l *childLogs) begin(logDir string, j *localJob, attempt string) (dir string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	home, from := l.home, lengths{}
	if home == "" || j.ownLogs || j != l.job {
		home = attempt
		err = j.makeLogs(attemptLogs(logDir, j.id, attempt))
	} else {
		from = lengthsOf(attemptLogs(logDir, j.id, home))
	}
	if err == nil && j.reuses() {
		err = addToIndex(filepath.Join(logDir, userLogs, j.id, logIndex), attempt, home, from)
	}
	if err != nil {
		return "", err
	}
	l.job, l.id, l.home, l.from, l.told = j, attempt, home, from, [4]bool{}
	return attemptLogs(logDir, j.id, home), nil
}

// reuses reports whether the job's children can run more than one attempt.
func (j *localJob) reuses() bool {
	n := j.info.GetTasksPerChild()
	return n < 0 || n > 1 || n == 0 && j.class != ""
}

// mayLogMore reports whether xml, a job's configuration, contains the name of a setting for
// attempts that have further files in their log directory.
func mayLogMore(xml []byte) bool {
	return bytes.Contains(xml, []byte("debug.script")) || bytes.Contains(xml, []byte("task.profile"))
}

// makeLogs creates the directory for an attempt's logs. It also saves who may read them, unless
// discard does.
func (j *localJob) makeLogs(dir string) error {
	if err := makeDir(filepath.Dir(dir), j.account); err != nil {
		return err
	}
	if !j.lateACLs {
		if err := saveACLs(filepath.Dir(dir), j.info); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil // the attempt was started once before, and the JobTracker has since forgotten it
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "create log directory", dir, err)
	}
	return give(dir, j.account)
}

// lengthsOf returns the lengths of the logs in a directory. It does not follow links.
func lengthsOf(dir string) (n lengths) {
	for i, name := range logFilters {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			n[i] = info.Size()
		}
	}
	return n
}

func addToIndex(index, attempt, home string, from lengths) error {
	line := attempt + " " + home
	for i, name := range logFilters {
		line += fmt.Sprintf(" %s:%d", name, from[i])
	}
	f, err := os.OpenFile(index, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write", index, err)
	}
	return nil
}

// logPart is an attempt's part of the log files in a directory.
type logPart struct {
	dir   string
	from  lengths
	to    lengths
	whole bool // the part extends to the end of each file
}

// findLogs returns where an attempt has logged. It returns false if it finds no logs.
func findLogs(logDir string, id job.AttemptID) (logPart, bool) {
	jobID, attempt := id.Job.String(), id.String()
	home, p := attempt, logPart{whole: true}
	if f, err := os.Open(filepath.Join(logDir, userLogs, jobID, logIndex)); err == nil {
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			name, files, from, ok := parseIndex(lines.Text())
			switch {
			case !ok: // the machine may have crashed while the TaskTracker wrote the line
			case name == attempt:
				home, p = files, logPart{from: from, whole: true}
			case files == home && p.whole && name != home:
				p.to, p.whole = from, false
			}
		}
		_ = lines.Err() // the lines before the damage still count
	}
	p.dir = attemptLogs(logDir, jobID, home)
	_, err := os.Stat(p.dir)
	return p, err == nil
}

// parseIndex parses a line of a logIndex file.
func parseIndex(line string) (attempt, home string, from lengths, ok bool) {
	words := strings.Fields(line)
	if len(words) != 2+len(from) {
		return "", "", from, false
	}
	for i, word := range words[2:] {
		name, text, _ := strings.Cut(word, ":")
		n, err := strconv.ParseInt(text, 10, 64)
		if name != logFilters[i] || err != nil {
			return "", "", from, false
		}
		from[i] = n
	}
	return words[0], words[1], from, true
}

// section returns the part's offset and length in the file of a log, which has size bytes.
func (p *logPart) section(name string, size int64) (from, n int64) {
	i := slices.Index(logFilters, name)
	to := size
	if !p.whole {
		to = min(p.to[i], size)
	}
	from = min(p.from[i], to)
	return from, to - from
}
