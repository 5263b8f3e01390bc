package btworld

import (
	"github.com/howdah/howdah/mapreduce"
)

// mostPeers is the maximum number of seeders, leechers, or downloads that a scrape may contain.
// Sums of sessions over four billion scrapes then fit in an int64.
const mostPeers = 1_000_000_000

// scrape is one line of input. Its hash and tracker alias the line.
type scrape struct {
	hash, tracker                []byte
	second                       int64 // Unix time
	seeders, leechers, downloads int64
}

// sessions returns the number of users in the swarm.
func (s *scrape) sessions() int64 { return s.seeders + s.leechers }

// parse parses a line of the form "HASH TRACKER TIMESTAMP SEEDERS LEECHERS DOWNLOADS" and reports
// whether the line is a scrape.
func (s *scrape) parse(line []byte) (ok bool) {
	var f [6][]byte
	if fields(line, f[:]) != len(f) {
		return false
	}
	s.hash, s.tracker = f[0], f[1]
	if s.second, ok = parseTimestamp(f[2]); !ok {
		return false
	}
	for i, to := range [...]*int64{&s.seeders, &s.leechers, &s.downloads} {
		if *to, ok = parseNumber(f[3+i]); !ok || *to > mostPeers {
			return false
		}
	}
	return true
}

// fields splits a line at runs of spaces, tabs, and carriage returns. It stores the first len(f)
// fields in f and returns the total number of fields.
func fields(line []byte, f [][]byte) (n int) {
	for i := 0; i < len(line); {
		if isBlank(line[i]) {
			i++
			continue
		}
		begin := i
		for i < len(line) && !isBlank(line[i]) {
			i++
		}
		if n < len(f) {
			f[n] = line[begin:i:i]
		}
		n++
	}
	return n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// parseNumber parses up to 18 decimal digits.
func parseNumber(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// The counters of jobs that read scrapes.
const (
	group          = "BTWorld"
	counterScrapes = "SCRAPES"
	counterDamaged = "DAMAGED_SCRAPES"
)

// reader is the part of a mapper that reads scrapes. It counts and skips damaged lines, because
// logs that cover years contain some.
type reader struct {
	scrape
	clock            clock
	scrapes, damaged *mapreduce.Counter
}

func (r *reader) Setup(c *mapreduce.Context) (err error) {
	if err = r.clock.setup(c.Conf); err != nil {
		return err
	}
	if r.scrapes, err = c.Counter(group, counterScrapes); err != nil {
		return err
	}
	r.damaged, err = c.Counter(group, counterDamaged)
	return err
}

// read parses a line and reports whether the line is a scrape. It counts scrapes and damaged lines,
// but not empty lines.
func (r *reader) read(line []byte) bool {
	if r.parse(line) {
		r.scrapes.Add(1)
		return true
	}
	if fields(line, nil) > 0 {
		r.damaged.Add(1)
	}
	return false
}

// moment returns the moment of the scrape, as text.
func (r *reader) moment() []byte { return r.clock.text(r.second) }
