// Package randomwriter writes SequenceFiles of random bytes, the input of sorts: Hadoop's example of the same name.
package randomwriter

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Hadoop's keys, and a seed of ours.
const (
	keyTotal    = "mapreduce.randomwriter.totalbytes"
	keyPerMap   = "mapreduce.randomwriter.bytespermap"
	keyMaps     = "mapreduce.randomwriter.mapsperhost" // maps, when no total is given: there is no asking how many hosts will help
	keyMinKey   = "mapreduce.randomwriter.minkey"
	keyMaxKey   = "mapreduce.randomwriter.maxkey"
	keyMinValue = "mapreduce.randomwriter.minvalue"
	keyMaxValue = "mapreduce.randomwriter.maxvalue"
	keySeed     = "howdah.randomwriter.seed"
	group       = "org.apache.hadoop.examples.RandomWriter$Counters"
	maxMaps     = 100000
)

// App gives the application.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "randomwriter",
		Input:  ranges.Input{Cut: cut},
		Output: mapreduce.SequenceOutput{},
		Mapper: mapreduce.MapOf(func() *writer { return &writer{} }),
		Conf:   map[string]string{mapreduce.KeyReduces: "0"},
	}
	return &mapreduce.App{
		Name:  "randomwriter",
		Short: "writes SequenceFiles of random bytes, 1 GiB a map unless configured",
		Usage: "<out>",
		Jobs:  []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) != 1 {
				return failure.New(failure.Usage, "randomwriter", "", errors.New("want an output"))
			}
			c := r.Conf().Clone()
			c.Set(mapreduce.KeyReduces, "0", "randomwriter")
			mapreduce.SetOutputPath(c, args[0])
			_, err := r.Run(ctx, j, c)
			return err
		},
	}
}

// perMap gives the bytes that each map writes, and the maps.
func perMap(c *conf.Config) (bytes, maps int64, err error) {
	if bytes, err = c.Int(keyPerMap, 1<<30, 1, math.MaxInt64); err != nil {
		return 0, 0, err
	}
	if maps, err = c.Int(keyMaps, 10, 1, maxMaps); err != nil {
		return 0, 0, err
	}
	total, err := c.Int(keyTotal, 0, 0, math.MaxInt64)
	if err != nil || total == 0 {
		return bytes, maps, err
	}
	if maps = max(1, total/bytes); maps > maxMaps {
		return 0, 0, failure.New(failure.Config, "read setting", keyTotal, fmt.Errorf("%d bytes make %d maps, more than %d; raise %s", total, maps, maxMaps, keyPerMap))
	}
	if total < bytes {
		bytes = total
	}
	return bytes, maps, nil
}

func cut(c *conf.Config) ([]ranges.Range, error) {
	_, maps, err := perMap(c)
	out := make([]ranges.Range, maps)
	for i := range out {
		out[i] = ranges.Range{First: int64(i), Count: 1}
	}
	return out, err
}

type writer struct {
	bytes            int64
	key, value       [2]int // least size, and how many sizes there are
	seed             uint64
	written, records *mapreduce.Counter
}

func (w *writer) Setup(c *mapreduce.Context) (err error) {
	if w.key, err = sizes(c.Conf, keyMinKey, 10, keyMaxKey, 1000); err != nil {
		return err
	}
	if w.value, err = sizes(c.Conf, keyMinValue, 0, keyMaxValue, 20000); err != nil {
		return err
	}
	seed, err := c.Conf.Int(keySeed, 1, 0, math.MaxInt64)
	if err != nil {
		return err
	}
	if w.bytes, _, err = perMap(c.Conf); err != nil {
		return err
	}
	w.seed = uint64(seed)
	if w.written, err = c.Counter(group, "BYTES_WRITTEN"); err != nil {
		return err
	}
	w.records, err = c.Counter(group, "RECORDS_WRITTEN")
	return err
}

// sizes reads from how many bytes on, and how many different sizes there are.
func sizes(c *conf.Config, minKey string, minDefault int64, maxKey string, maxDefault int64) (out [2]int, err error) {
	least, err := c.Int(minKey, minDefault, 0, 1e9)
	if err != nil {
		return out, err
	}
	most, err := c.Int(maxKey, maxDefault, 0, 1e9)
	if err != nil {
		return out, err
	}
	if most < least {
		return out, c.Refuse(maxKey, fmt.Errorf("it is less than %s, %d", minKey, least))
	}
	return [2]int{int(least), int(max(most-least, 1))}, nil
}

func (w *writer) Map(c *mapreduce.Context, n int64, _ mapreduce.Null, out *mapreduce.Out[[]byte, []byte]) error {
	r := rand.New(rand.NewPCG(w.seed, uint64(n)))
	var key, value []byte
	for left, i := w.bytes, 0; left > 0; i++ {
		key = random(key[:0], r, w.key)
		value = random(value[:0], r, w.value)
		out.Emit(key, value)
		size := int64(len(key) + len(value))
		left -= max(size, 1) // so that empty records end as well
		w.written.Add(size)
		w.records.Add(1)
		if i%200 == 0 {
			c.SetStatus("wrote record " + strconv.Itoa(i) + ". " + strconv.FormatInt(left, 10) + " bytes left.")
			if err := errors.Join(c.Context().Err(), out.Err()); err != nil {
				return err
			}
		}
	}
	return out.Err()
}

// random appends random bytes, of a random size.
func random(dst []byte, r *rand.Rand, size [2]int) []byte {
	n := size[0] + r.IntN(size[1])
	for len(dst) < n {
		dst = binary.LittleEndian.AppendUint64(dst, r.Uint64())
	}
	return dst[:n]
}
