package kmeans

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/apps/internal/fixed"
)

// point is a position, with one coordinate for each dimension.
type point []fixed.Number

// parsePoint parses coordinates separated by commas, spaces, or tabs. The result reuses the memory
// of buf.
func parsePoint(buf point, line []byte) (point, error) {
	buf = buf[:0]
	for len(line) > 0 {
		i := bytes.IndexAny(line, ", \t")
		field := line
		if i >= 0 {
			field, line = line[:i], line[i+1:]
		} else {
			line = nil
		}
		if len(field) == 0 {
			continue
		}
		n, err := fixed.Parse(field)
		if err != nil {
			return nil, err
		}
		buf = append(buf, n)
	}
	if len(buf) == 0 {
		return nil, errors.New("a point needs at least one coordinate")
	}
	return buf, nil
}

// append appends coordinates separated by commas.
func (p point) append(dst []byte) []byte {
	for i, x := range p {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = x.Append(dst)
	}
	return dst
}

// center is the center of a cluster. count is the number of points that the cluster had in the last
// round. Before the first round, count is 0.
type center struct {
	count int64
	at    point
}

// line returns "COUNT TAB x,y,…", which follows the cluster's number and a tab in the files of a
// clusters directory.
func (c center) line() string { return fmt.Sprintf("%d\t%s", c.count, c.at.append(nil)) }

// parseCenter parses "ID TAB COUNT TAB x,y,…".
func parseCenter(line string) (id int32, c center, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 3 {
		return 0, c, fmt.Errorf("%q is not a cluster: want ID TAB COUNT TAB x,y,…", line)
	}
	if _, err := fmt.Sscanf(f[0]+" "+f[1], "%d %d", &id, &c.count); err != nil || id < 0 {
		return 0, c, fmt.Errorf("%q is not a cluster: bad number or count", line)
	}
	c.at, err = parsePoint(nil, []byte(f[2]))
	return id, c, err
}

// nearest returns the index of the first center with the smallest Euclidean distance to p.
func nearest(centers []center, p point) int32 {
	best, min := int32(0), math.Inf(1)
	for i := range centers {
		if d := distance2(centers[i].at, p); d < min {
			best, min = int32(i), d
		}
	}
	return best
}

// distance2 returns the square of the Euclidean distance. The conversion prevents fused
// multiply-add, so that every processor returns the same bits.
func distance2(a, b point) float64 {
	var sum float64
	for i := range a {
		d := a[i].Float() - b[i].Float()
		sum += float64(d * d)
	}
	return sum
}

// partial contains the number of some of a cluster's points and the sums of their coordinates.
type partial struct {
	count int64
	sums  []fixed.Sum
}

func (s *partial) reset(dims int) {
	s.count = 0
	s.sums = append(s.sums[:0], make([]fixed.Sum, dims)...)
}

func (s *partial) add(p point) {
	s.count++
	for i, x := range p {
		s.sums[i].Add(x)
	}
}

// merge adds b, a serialized partial, to s.
func (s *partial) merge(b []byte) error {
	if len(b) != 8+len(s.sums)*fixed.SumLen {
		return fmt.Errorf("a partial sum has %d bytes, want %d dimensions", len(b), len(s.sums))
	}
	s.count += int64(binary.BigEndian.Uint64(b))
	for i := range s.sums {
		s.sums[i].Merge(fixed.Decode(b[8+i*fixed.SumLen:]))
	}
	return nil
}

func (s *partial) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.count))
	for _, x := range s.sums {
		dst = x.Append(dst)
	}
	return dst
}

func (s *partial) center() center {
	c := center{count: s.count, at: make(point, len(s.sums))}
	for i, x := range s.sums {
		c.at[i] = x.Mean(s.count)
	}
	return c
}
