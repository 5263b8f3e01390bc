package importer

import (
	"bufio"
	"bytes"
	"strings"
)

// The text form of a JobTracker's history, 0.18 to 1.x. A record is a word and attributes:
//
//	MapAttempt TASK_TYPE="MAP" TASKID="task_200904211745_0002_m_000015" ... FINISH_TIME="1240336765834" .
//
// From Meta VERSION="1" on, a backslash stands before quotes, dots and equals signs of values, and a record ends with " .";
// older logs have neither. Values may hold line ends (stack traces). Because a JobTracker dies in the middle of a line, a
// line that begins like a record always begins one.

// recordWords are the words that records begin with.
var recordWords = []string{"Job", "Task", "MapAttempt", "ReduceAttempt", "Meta", "Jobtracker"}

// recordStart takes the word off a line that begins a record.
func recordStart(line string) (word, rest string, ok bool) {
	word, rest, found := strings.Cut(line, " ")
	if !found {
		return "", "", false
	}
	for _, w := range recordWords {
		if w == word {
			key, _, quoted := strings.Cut(rest, `="`)
			return word, rest, quoted && isKey(strings.TrimSpace(key))
		}
	}
	return "", "", false
}

func isKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// attribute is a KEY="value" of a record.
type attribute struct{ key, value string }

type attributes []attribute

func (a attributes) get(key string) string {
	for i := range a {
		if a[i].key == key {
			return a[i].value
		}
	}
	return ""
}

// parseAttributes reads the attributes of a record. ok = false: a value, or with escapes the record's final dot, is missing,
// so more lines may follow; what is complete is given all the same.
func parseAttributes(s string, escapes bool) (list attributes, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t\n")
		if s == "" {
			return list, !escapes
		}
		if s == "." {
			return list, true
		}
		key, rest, found := strings.Cut(s, `="`)
		if !found || !isKey(key) {
			return list, false
		}
		end := valueEnd(rest, escapes)
		if end < 0 {
			return list, false
		}
		value := rest[:end]
		if escapes {
			value = unescape(value)
		}
		list = append(list, attribute{key, value})
		s = rest[end+1:]
	}
}

// valueEnd finds the quote that ends a value. Without escapes a quote may be part of the value; then it counts only where
// another attribute or the end of the record follows.
func valueEnd(s string, escapes bool) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] == '"' && (escapes || endsHere(s[i+1:])):
			return i
		}
	}
	return -1
}

func endsHere(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\n")
	if rest == "" || rest == "." {
		return true
	}
	key, _, found := strings.Cut(rest[:min(len(rest), maxKey)], `="`)
	return found && isKey(key)
}

// maxKey is more than the longest key with its equals sign and quote.
const maxKey = 64

// unescape removes the backslashes that stand before characters with a meaning.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// classicReader joins lines to records.
type classicReader struct {
	im      *Import
	path    string
	escapes bool
	pending bytes.Buffer // a record whose end was not seen yet
	first   int64        // its line
	tries   int          // how often the record was taken for complete and was not
	garbage bool         // lines that belong to no record were counted already
}

// classic reads a history of a JobTracker.
func (im *Import) classic(path string, r *bufio.Reader) error {
	c := &classicReader{im: im, path: path}
	im.each(path, r, c.line)
	c.give(true)
	return nil
}

func (c *classicReader) line(n int64, line []byte) {
	if _, _, ok := recordStart(string(line)); ok {
		c.give(true)
		c.first, c.garbage, c.tries = n, false, 0
		c.pending.Write(line)
		c.give(false)
		return
	}
	if c.pending.Len() == 0 {
		// Without escapes a quote at the end of a line of a stack trace looks like the end of its record.
		trace := !c.escapes && c.first > 0
		if len(bytes.TrimSpace(line)) > 0 && !c.garbage && !trace {
			c.im.damage(c.path, n, "not part of any record")
			c.garbage = true
		}
		return
	}
	if c.pending.Len()+len(line) > min(maxRecord, c.im.opt.MaxLine) {
		c.im.damage(c.path, c.first, "a record longer than %d bytes", min(maxRecord, c.im.opt.MaxLine))
		c.pending.Reset()
		c.garbage = true
		return
	}
	c.pending.WriteByte('\n')
	c.pending.Write(line)
	end := byte('"')
	if c.escapes {
		end = '.'
	}
	if t := bytes.TrimRight(line, " \t"); len(t) > 0 && t[len(t)-1] == end && c.tries < maxTries {
		c.tries++
		c.give(false)
	}
}

// maxRecord bounds a record of several lines: a stack trace or two.
const maxRecord = 4 << 20

// maxTries bounds the work on one record with many lines that could be its end.
const maxTries = 100

// give uses the pending record if it is complete; with all set also an incomplete one is taken away, and counted.
func (c *classicReader) give(all bool) {
	if c.pending.Len() == 0 {
		return
	}
	word, rest, _ := recordStart(c.pending.String())
	list, ok := parseAttributes(rest, c.escapes || word == "Meta")
	if !ok && !all {
		return
	}
	c.pending.Reset()
	switch {
	case word == "Meta":
		c.escapes = list.get("VERSION") != "" && list.get("VERSION") != "0"
	case !ok:
		c.im.damage(c.path, c.first, "a %s record that does not end", word)
	default:
		if why := c.im.classicRecord(word, list); why != "" {
			c.im.damage(c.path, c.first, "%s: %s", word, why)
		}
	}
}
