package btworld

import (
	"time"

	"github.com/howdah/howdah/conf"
)

// layout is the format of times. Times are in UTC, so their text forms sort chronologically.
const layout = "20060102T150405"

// keyGroup is the setting that passes the length of a moment to the tasks, in seconds.
const keyGroup = "howdah.btworld.group"

const (
	hour     = 3600
	maxGroup = 100 * 366 * 24 * hour
)

// clock maps times to moments, which are periods of equal length, identified by their first second.
type clock struct {
	group int64
	last  int64 // the moment whose text is in buf
	buf   []byte
}

func (c *clock) setup(cfg *conf.Config) (err error) {
	c.group, err = conf.BTWorldGroup.Get(cfg)
	return err
}

// start returns the first second of the moment that contains the given second.
func (c *clock) start(second int64) int64 {
	into := second % c.group
	if into < 0 { // before 1970
		into += c.group
	}
	return second - into
}

// text returns the moment that contains the given second, as text. The result is valid until the
// next call.
func (c *clock) text(second int64) []byte {
	at := c.start(second)
	if c.buf == nil || at != c.last {
		c.buf, c.last = appendTime(c.buf[:0], at), at
	}
	return c.buf
}

func appendTime(dst []byte, second int64) []byte {
	return time.Unix(second, 0).UTC().AppendFormat(dst, layout)
}

// parseTimestamp parses a UTC time in the years 1 to 9999 and returns it as Unix time in seconds.
func parseTimestamp(b []byte) (second int64, ok bool) {
	if len(b) != len(layout) || b[8] != 'T' {
		return 0, false
	}
	var n [6]int
	for i, at := range [...]struct{ begin, end int }{{0, 4}, {4, 6}, {6, 8}, {9, 11}, {11, 13}, {13, 15}} {
		x, ok := parseNumber(b[at.begin:at.end])
		if !ok {
			return 0, false
		}
		n[i] = int(x)
	}
	if n[0] < 1 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return 0, false
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	return t.Unix(), t.Day() == n[2] // rejects dates such as the 31st of June
}
