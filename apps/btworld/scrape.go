package btworld

import (
	"github.com/howdah/howdah/mapreduce"
)

// mostPeers bounds seeders, leechers and downloads of a scrape. Sums of nine thousand million scrapes then fit 64 bits.
const mostPeers = 1_000_000_000

// scrape is one line of input. Its texts are views of the line.
type scrape struct {
	hash, tracker                []byte
	second                       int64 // Unix time
	seeders, leechers, downloads int64
}

// sessions is how many users the swarm had.
func (s *scrape) sessions() int64 { return s.seeders + s.leechers }

// parse reads "HASH TRACKER TIMESTAMP SEEDERS LEECHERS DOWNLOADS", separated by blanks or tabs; false = the line is no scrape.
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

// fields cuts a line at stretches of blanks and tabs and gives how many fields it has; those beyond len(f) are counted alone.
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

// parseNumber reads up to 18 decimal digits.
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

// reader is the part of a mapper that reads scrapes. A damaged line, which logs of years have now and then, is counted and left out.
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

// read takes a line and says whether there is a scrape in it. An empty line is nothing at all.
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

// moment is the moment of the scrape, as text.
func (r *reader) moment() []byte { return r.clock.text(r.second) }
