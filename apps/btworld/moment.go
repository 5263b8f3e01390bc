package btworld

import (
	"time"

	"github.com/howdah/howdah/conf"
)

// layout is how times are written: in UTC, so that their order is that of their bytes.
const layout = "20060102T150405"

// keyGroup tells tasks the length of a moment, in seconds.
const keyGroup = "howdah.btworld.group"

const (
	hour     = 3600
	maxGroup = 100 * 366 * 24 * hour
)

// clock puts times into moments: stretches of time of one length, named by their first second.
type clock struct {
	group int64
	last  int64 // the moment in buf
	buf   []byte
}

func (c *clock) setup(cfg *conf.Config) (err error) {
	c.group, err = cfg.Int(keyGroup, hour, 1, maxGroup)
	return err
}

// start gives the first second of a time's moment.
func (c *clock) start(second int64) int64 {
	into := second % c.group
	if into < 0 { // before 1970
		into += c.group
	}
	return second - into
}

// text gives the moment of a time as text that is valid until the next call.
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

// parseTimestamp reads a time of the years 1 to 9999.
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
	return t.Unix(), t.Day() == n[2] // not the 31st of June
}
