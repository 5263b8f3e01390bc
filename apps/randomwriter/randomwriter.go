// Package randomwriter is Hadoop's example of the same name. It writes SequenceFiles of random
// bytes, as input for sorts.
package randomwriter

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/howdah/howdah/apps/internal/random"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

var app = random.App{Name: "randomwriter", Group: "org.apache.hadoop.examples.RandomWriter$Counters",
	Least: 1, Every: 200,
	Total: &conf.RandomWriterTotalBytes, PerMap: &conf.RandomWriterBytesPerMap, Maps: &conf.RandomWriterMapsPerHost,
	Seed: &conf.RandomWriterSeed,
}

// App returns Hadoop's randomwriter example.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "randomwriter",
		Input:  app.Input(),
		Output: mapreduce.SequenceOutput{},
		Mapper: mapreduce.MapOf(func() *writer { return &writer{} }),
		Conf:   map[string]string{conf.JobReduces.Name: "0"},
	}
	return &mapreduce.App{
		Name:  "randomwriter",
		Short: "writes SequenceFiles of random bytes, by default 1 GiB per map",
		Usage: "<out>",
		Jobs:  []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			return app.Run(ctx, r, j, r.Conf().Clone(), args)
		},
	}
}

type writer struct {
	random.Writer
	key, value [2]int // minimum size, and number of possible sizes
}

func (w *writer) Setup(c *mapreduce.Context) (err error) {
	if w.key, err = sizes(c.Conf, &conf.RandomWriterMinKey, &conf.RandomWriterMaxKey); err != nil {
		return err
	}
	if w.value, err = sizes(c.Conf, &conf.RandomWriterMinValue, &conf.RandomWriterMaxValue); err != nil {
		return err
	}
	return w.Writer.Setup(c, &app)
}

// sizes returns the minimum number of bytes and the number of possible sizes. The configured
// maximum is exclusive unless it equals the minimum.
func sizes(c *conf.Config, minKey, maxKey *conf.Int) (out [2]int, err error) {
	r := conf.Reader{Conf: c}
	least, most := minKey.From(&r), maxKey.From(&r)
	if r.Err != nil {
		return out, r.Err
	}
	if most < least {
		return out, c.Refuse(maxKey.Name, fmt.Errorf("it is less than %s, %d", minKey.Name, least))
	}
	return [2]int{int(least), int(max(most-least, 1))}, nil
}

func (w *writer) Map(c *mapreduce.Context, n int64, _ mapreduce.Null, out *mapreduce.Out[[]byte, []byte]) error {
	return random.Write(&w.Writer, c, n, out, func(r *rand.Rand, key, value []byte) (k, v []byte) {
		return fill(key, r, w.key), fill(value, r, w.value)
	})
}

// fill appends a random number of random bytes to dst, which must be empty. size is a result of
// sizes.
func fill(dst []byte, r *rand.Rand, size [2]int) []byte {
	n := size[0] + r.IntN(size[1])
	for len(dst) < n {
		dst = binary.LittleEndian.AppendUint64(dst, r.Uint64())
	}
	return dst[:n]
}
