package streaming

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/howdah/howdah/mapreduce"
)

// longestLine is how much of a line on standard error is looked at at once, in bytes; a longer one is passed on in pieces.
const longestLine = 64 << 10

// readStderr follows what a command writes to its standard error until it ends. Lines that begin with the reporter's prefix are
// counters and status, all others go to the attempt's own standard error. Any of them is a sign of life. A counter above the
// job's limits fails the attempt, so that none is lost in silence: kill is called then, and the error given at the end.
func readStderr(c *mapreduce.Context, in io.Reader, kill func()) error {
	r := newReporter(c, os.Stderr)
	lines := bufio.NewReaderSize(in, longestLine)
	whole := true // the line began at its beginning
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			c.Progress()
			before := r.err
			r.line(line, whole)
			if before == nil && r.err != nil {
				kill()
			}
			whole = line[len(line)-1] == '\n'
		}
		if err != nil && err != bufio.ErrBufferFull {
			return r.err // the end; what goes wrong with a pipe goes wrong with the process
		}
	}
}

// reporter does what lines on standard error ask for.
type reporter struct {
	c      *mapreduce.Context
	log    io.Writer
	prefix []byte
	err    error // the first counter that could not be made
}

func newReporter(c *mapreduce.Context, log io.Writer) *reporter {
	prefix := "reporter:"
	if p, _, ok := c.Conf.Lookup(keyReporterPrefix); ok {
		prefix = p
	}
	return &reporter{c: c, log: log, prefix: []byte(prefix)}
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
	parts := strings.Split(strings.TrimSpace(counter), ",")
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
		r.complain(err.Error()+": ", text)
		r.err = cmp.Or(r.err, err)
		return
	}
	x.Add(n)
}

func (r *reporter) complain(what, text string) {
	_, _ = io.WriteString(r.log, what+string(r.prefix)+strings.TrimRight(text, "\n")+"\n")
}
