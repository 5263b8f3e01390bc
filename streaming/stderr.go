package streaming

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/howdah/howdah/mapreduce"
)

// longestLine is how much of a line on standard error is looked at at once, in bytes; a longer one is passed on in pieces.
const longestLine = 64 << 10

// readStderr follows what a command writes to its standard error until it ends. Lines that begin with the reporter's prefix are
// counters and status, all others go to the attempt's own standard error. Any of them is a sign of life. refused is called once if
// there are more counters than the job may have; what comes after that goes nowhere.
func readStderr(c *mapreduce.Context, in io.Reader, refused func(error)) {
	r := newReporter(c, os.Stderr)
	lines := bufio.NewReaderSize(in, longestLine)
	whole := true // the line began at its beginning
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			c.Progress()
			whole = r.lines(line, whole)
			if r.refused != nil {
				refused(r.refused)
				_, _ = io.Copy(io.Discard, in) // the process is being killed
				return
			}
		}
		if err != nil && err != bufio.ErrBufferFull {
			return // the end; what goes wrong with a pipe goes wrong with the process
		}
	}
}

// reporter does what lines on standard error ask for.
type reporter struct {
	c      *mapreduce.Context
	log    io.Writer
	prefix []byte

	refused error // the limit of counters, once it was met
}

func newReporter(c *mapreduce.Context, log io.Writer) *reporter {
	prefix := "reporter:"
	if p, _, ok := c.Conf.Lookup(keyReporterPrefix); ok && p != "" {
		prefix = p
	}
	return &reporter{c: c, log: log, prefix: []byte(prefix)}
}

// lines takes a stretch of lines that end in \n, \r\n or \r; whole tells whether it begins a line, and the answer whether it ends one.
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

// line takes a line with its end.
func (r *reporter) line(line []byte, whole bool) {
	command, ok := bytes.CutPrefix(line, r.prefix)
	if !ok || !whole {
		_, _ = r.log.Write(line) // nothing can be done about a log that cannot be written
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

// count reads GROUP,COUNTER,AMOUNT.
func (r *reporter) count(counter, text string) {
	parts := strings.Split(strings.TrimRight(strings.TrimSpace(counter), ","), ",") // Java's split drops what is empty at the end
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
