package tera

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const keyRows = "mapreduce.terasort.num-rows"

// Gen returns TeraGen.
func Gen() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "teragen",
		Input:  ranges.Input{Cut: cutRows},
		Output: rowOutput{},
		Mapper: mapreduce.MapOf(func() *generator { return &generator{} }),
		Conf:   map[string]string{conf.JobReduces.Name: "0"},
	}
	return &mapreduce.App{
		Name:  "teragen",
		Short: "generates rows for terasort",
		Usage: "<rows> <out>",
		Jobs:  []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) != 2 {
				return usage("teragen", errors.New("want the number of rows and an output"))
			}
			rows, err := parseRows(args[0])
			if err != nil {
				return usage("teragen", err)
			}
			c := r.Conf().Clone()
			c.Set(conf.JobReduces.Name, "0", "teragen")
			c.Set(keyRows, strconv.FormatInt(rows, 10), "teragen")
			mapreduce.SetOutputPath(c, args[1])
			_, err = r.Run(ctx, j, c)
			return err
		},
	}
}

func usage(app string, err error) error { return failure.New(failure.Usage, app, "", err) }

// parseRows parses a number of rows. The suffixes k, m, b, and t mean 10^3, 10^6, 10^9, and 10^12,
// as in Hadoop's TeraGen.
func parseRows(s string) (int64, error) {
	unit := int64(1)
	digits := s
	if i := strings.IndexAny(strings.ToLower(s), "kmbt"); i >= 0 && i == len(s)-1 {
		digits = s[:i]
		unit = map[string]int64{"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}[strings.ToLower(s[i:])]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/RowLen/unit {
		return 0, fmt.Errorf("%q is not a number of rows: want 0 to %d, or a number followed by k, m, b or t",
			s, int64(math.MaxInt64/RowLen))
	}
	return n * unit, nil
}

// cutRows assigns each map its share of the rows.
func cutRows(c *conf.Config) ([]ranges.Range, error) {
	rows, err := conf.TeraSortNumRows.Get(c)
	if err != nil {
		return nil, err
	}
	maps, err := conf.JobMaps.Within(c, 1, 100_000)
	if err != nil {
		return nil, err
	}
	out := make([]ranges.Range, maps)
	first := int64(0)
	for i := range out {
		end := int64(math.Ceil(float64(rows) * float64(i+1) / float64(maps)))
		out[i] = ranges.Range{First: first, Count: end - first}
		first = end
	}
	return out, nil
}

// generator receives consecutive row numbers, emits the rows with these numbers, and adds up the
// rows' checksums.
type generator struct {
	row      [RowLen]byte
	rand     uint128
	started  bool
	sum      uint128
	checksum *mapreduce.Counter
}

func (g *generator) Setup(c *mapreduce.Context) (err error) {
	g.checksum, err = c.Counter("org.apache.hadoop.examples.terasort.TeraGen$Counters", "CHECKSUM")
	return err
}

func (g *generator) Map(_ *mapreduce.Context, n int64, _ mapreduce.Null,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	if !g.started {
		g.rand, g.started = skip(uint64(n)), true
	}
	g.rand = next(g.rand)
	fillRow(g.row[:], g.rand, uint64(n))
	g.sum = g.sum.add(uint128{lo: uint64(crc32.ChecksumIEEE(g.row[:]))})
	out.Emit(g.row[:KeyLen], g.row[KeyLen:])
	return nil
}

// Cleanup adds the low 64 bits of the checksum to a counter, as Hadoop does.
func (g *generator) Cleanup(*mapreduce.Context, *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	g.checksum.Add(int64(g.sum.lo))
	return nil
}
