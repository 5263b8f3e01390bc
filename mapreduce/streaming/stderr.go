package streaming

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// longestLine is the maximum length of a piece of standard error in bytes. Longer lines are
// processed in several pieces.
const longestLine = 64 << 10

// readStderr reads a command's standard error until its end. Lines with the reporter's prefix set
// counters and status. All other lines go to the attempt's own standard error. Every line reports
// progress. If the command exceeds the job's limit on counters, readStderr calls refused once and
// discards the rest.
func readStderr(c *mapreduce.Context, in io.Reader, refused func(error)) {
	r := newReporter(c, os.Stderr)
	lines := bufio.NewReaderSize(in, longestLine)
	whole := true // the next piece is the start of a line
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			c.Progress()
			whole = r.lines(line, whole)
			if r.refused != nil {
				refused(r.refused)
				_, _ = io.Copy(io.Discard, in) // the caller is killing the process
				return
			}
		}
		if err != nil && err != bufio.ErrBufferFull {
			return // end of the pipe; the process's exit code reveals any other error
		}
	}
}

// reporter carries out the requests that a command writes to its standard error.
type reporter struct {
	c      *mapreduce.Context
	log    io.Writer
	prefix []byte

	refused error // error of the first request that exceeded the limit on counters
}

func newReporter(c *mapreduce.Context, log io.Writer) *reporter {
	prefix := "reporter:"
	if p, _, ok := c.Conf.Lookup(conf.StreamStderrReporterPrefix.Name); ok && p != "" {
		prefix = p
	}
	return &reporter{c: c, log: log, prefix: []byte(prefix)}
}

// lines processes text whose lines end in \n, \r\n, or \r. whole indicates whether b begins at the
// start of a line. The result reports whether b ends at the end of a line.
func (r *reporter) lines(b []byte, whole bool) bool {
	for len(b) > 0 {
		n := len(b)
		if i := bytes.IndexByte(b, '\r'); i >= 0 && !bytes.HasPrefix(b[i+1:], []byte("\n")) {
			n = i + 1
		}
		r.line(b[:n], whole)
		whole = b[n-1] == '\n' || b[n-1] == '\r'
		b = b[n:]
	}
	return whole
}

// line processes a line or a piece of one, including the line ending, if any. Only a piece at the
// start of a line (whole) can contain a request.
func (r *reporter) line(line []byte, whole bool) {
	command, ok := bytes.CutPrefix(line, r.prefix)
	if !ok || !whole {
		_, _ = r.log.Write(line) // nothing can be done about a log error
		return
	}
	text := string(command)
	if counter, ok := strings.CutPrefix(text, "counter:"); ok {
		r.count(counter, text)
	} else if status, ok := strings.CutPrefix(text, "status:"); ok {
		r.c.SetStatus(strings.TrimSpace(status))
	} else {
		r.complain("Cannot parse reporter line: ", text)
	}
}

// count parses GROUP,COUNTER,AMOUNT and adds the amount to the counter.
func (r *reporter) count(counter, text string) {
	// Like Java's split, drop trailing empty fields.
	parts := strings.Split(strings.TrimRight(strings.TrimSpace(counter), ","), ",")
	if len(parts) != 3 {
		r.complain("Cannot parse counter line: ", text)
		return
	}
	n, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		r.complain("Cannot parse counter increment '"+parts[2]+"' from line: ", text)
		return
	}
	x, err := r.c.Counter(parts[0], parts[1])
	if err != nil {
		r.refused = err
		return
	}
	x.Add(n)
}

func (r *reporter) complain(what, text string) {
	_, _ = io.WriteString(r.log, what+string(r.prefix)+strings.TrimRight(text, "\r\n")+"\n")
}
