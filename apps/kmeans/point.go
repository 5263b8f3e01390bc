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
		if isSeparator(line[0]) {
			line = line[1:]
			continue
		}
		n, size := fixed.Prefix(line)
		if size == 0 || size < len(line) && !isSeparator(line[size]) { // not a plain decimal
			if size = bytes.IndexAny(line, separators); size < 0 {
				size = len(line)
			}
			var err error
			if n, err = fixed.Parse(line[:size]); err != nil {
				return nil, err
			}
		}
		buf, line = append(buf, n), line[size:]
	}
	if len(buf) == 0 {
		return nil, errors.New("a point needs at least one coordinate")
	}
	return buf, nil
}

const separators = ", \t"

func isSeparator(c byte) bool { return c == ' ' || c == ',' || c == '\t' }

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

// lanes is the number of centers in a bundle.
const lanes = 4

// bundle contains one coordinate of consecutive centers. A missing center is at +Inf.
type bundle [lanes]float64

// finder finds the center that is nearest to a point. It computes the distances to the centers of a
// bundle at the same time, because each distance is a chain of dependent additions.
type finder struct {
	bundles []bundle  // the coordinates of the first centers, then those of the next ones, …
	at      []float64 // the point's coordinates
}

// newFinder returns an error if the centers have different numbers of dimensions.
func newFinder(centers []center) (*finder, error) {
	dims := len(centers[0].at)
	f := &finder{at: make([]float64, dims), bundles: make([]bundle, (len(centers)+lanes-1)/lanes*dims)}
	for i := range f.bundles {
		for lane := range lanes {
			f.bundles[i][lane] = math.Inf(1)
		}
	}
	for i, c := range centers {
		if len(c.at) != dims {
			return nil, fmt.Errorf("cluster %d has %d dimensions, the first cluster has %d", i, len(c.at), dims)
		}
		for d, x := range c.at {
			f.bundles[i/lanes*dims+d][i%lanes] = x.Float()
		}
	}
	return f, nil
}

// nearest returns the index of the first center with the smallest Euclidean distance to p, which has
// as many dimensions as the centers. The distances have the same bits as those of distance2.
func (f *finder) nearest(p point) int32 {
	for d, x := range p {
		f.at[d] = x.Float()
	}
	best, least := 0, math.Inf(1)
	for i, rest := 0, f.bundles; len(rest) > 0; i, rest = i+lanes, rest[len(f.at):] {
		var s0, s1, s2, s3 float64 // variables, because the compiler keeps an array in memory
		for d := range rest[:len(f.at)] {
			b, x := &rest[d], f.at[d]
			d0, d1, d2, d3 := b[0]-x, b[1]-x, b[2]-x, b[3]-x
			s0 += float64(d0 * d0)
			s1 += float64(d1 * d1)
			s2 += float64(d2 * d2)
			s3 += float64(d3 * d3)
		}
		for lane, s := range (bundle{s0, s1, s2, s3}) {
			if s < least {
				best, least = i+lane, s
			}
		}
	}
	return int32(best)
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
