package importer

import (
	"bufio"
	"bytes"
	"strings"
)

// This file reads the text format of a JobTracker's history, versions 0.18 to 1.x. A record is a
// word and attributes:
//
//	MapAttempt TASK_TYPE="MAP" TASKID="task_200904211745_0002_m_000015" ... FINISH_TIME="1240336765834" .
//
// Since Meta VERSION="1", a backslash precedes quotes, dots, and equals signs in values, and a
// record ends with " .". Older logs have neither. Values may contain newlines (stack traces). A
// JobTracker may die in the middle of a line, so a line that looks like the start of a record
// always starts a record.

// recordWords are the words that start a record.
var recordWords = []string{"Job", "Task", "MapAttempt", "ReduceAttempt", "Meta", "Jobtracker"}

// recordStart splits the record word from the line. It returns false if the line does not start a
// record.
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

// attribute is a KEY="value" pair of a record.
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

// parseAttributes parses the attributes of the record. If the last attribute is incomplete, ok is
// false, because more lines may follow. With escapes, ok is also false if the final dot is missing.
// In both cases, parseAttributes returns the complete attributes.
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

// valueEnd returns the index of the quote that ends a value, or -1. Without escapes, a quote may be
// part of the value. It then ends the value only if another attribute or the end of the record
// follows.
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

// maxKey is larger than the longest key including its equals sign and quote.
const maxKey = 64

// unescape removes the backslash from each escaped character.
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

// classicReader joins lines into records.
type classicReader struct {
	im      *Import
	path    string
	escapes bool
	pending bytes.Buffer // a record without an end so far
	first   int64        // number of the last record's first line
	tries   int          // number of times that the incomplete record looked complete
	garbage bool         // lines outside records have already been counted
}

// classic reads a JobTracker's history.
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
		// Without escapes, a quote at the end of a stack trace line looks like the end of the
		// record.
		trace := !c.escapes && c.first > 0
		if len(bytes.TrimSpace(line)) > 0 && !c.garbage && !trace {
			c.im.damage(c.path, n, "the text is not part of a record")
			c.garbage = true
		}
		return
	}
	if c.pending.Len()+len(line) > min(maxRecord, c.im.opt.MaxLine) {
		c.im.damage(c.path, c.first, "the record is longer than %d bytes", min(maxRecord, c.im.opt.MaxLine))
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

// maxRecord limits the size, in bytes, of a record that spans several lines. It is enough for two
// stack traces.
const maxRecord = 4 << 20

// maxTries limits the work on one record with many possible ends.
const maxTries = 100

// give processes the pending record if it is complete. If all is set, it also discards an
// incomplete record and counts it as damage.
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
		c.im.damage(c.path, c.first, "the %s record does not end", word)
	default:
		if why := c.im.classicRecord(word, list); why != "" {
			c.im.damage(c.path, c.first, "%s: %s", word, why)
		}
	}
}
