// Package randomtext writes lines of random words, as input for other jobs.
package randomtext

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/howdah/howdah/apps/internal/random"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const vocabularySize = 1000

var app = random.App{Name: "randomtextwriter", Group: "org.apache.hadoop.examples.RandomTextWriter$Counters",
	Even: true, Every: 1000,
	Total: &conf.RandomTextWriterTotalBytes, PerMap: &conf.RandomTextWriterBytesPerMap,
	Maps: &conf.RandomTextWriterMapsPerHost, Seed: &conf.RandomTextWriterSeed,
}

// App returns Hadoop's randomtextwriter example.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "randomtextwriter",
		Input:  app.Input(),
		Mapper: mapreduce.MapOf(func() *writer { return &writer{} }),
		Conf:   map[string]string{conf.JobReduces.Name: "0"},
	}
	return &mapreduce.App{
		Name:  "randomtextwriter",
		Short: "writes random text, by default 1 GiB per map",
		Usage: "[-outFormat CLASS] <out>",
		Jobs:  []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			c := r.Conf().Clone()
			if len(args) > 1 && args[0] == "-outFormat" {
				c.Set(conf.JobOutputFormatClass.Name, args[1], "randomtextwriter")
				args = args[2:]
			}
			return app.Run(ctx, r, j, c, args)
		},
	}
}

type writer struct {
	random.Writer
	words      []string
	key, value [2]int64 // minimum and maximum number of words
}

func (w *writer) Setup(c *mapreduce.Context) error {
	r := conf.Reader{Conf: c.Conf}
	w.key = [2]int64{conf.RandomTextWriterMinWordsKey.From(&r), conf.RandomTextWriterMaxWordsKey.From(&r)}
	w.value = [2]int64{conf.RandomTextWriterMinWordsValue.From(&r), conf.RandomTextWriterMaxWordsValue.From(&r)}
	if r.Err != nil {
		return r.Err
	}
	if w.key[1] < w.key[0] || w.value[1] < w.value[0] || w.key[1]+w.value[1] == 0 {
		return failure.New(failure.Config, "write random text", "",
			errors.New("the maximum number of words must be at least 1 and at least the minimum number"))
	}
	if err := w.Writer.Setup(c, &app); err != nil {
		return err
	}
	w.words = vocabulary(w.Seed)
	return nil
}

// vocabulary returns random words of 3 to 12 letters, which depend only on the seed.
func vocabulary(seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, math.MaxUint64))
	words := make([]string, vocabularySize)
	for i := range words {
		b := make([]byte, 3+r.IntN(10))
		for j := range b {
			b[j] = byte('a' + r.IntN(26))
		}
		words[i] = string(b)
	}
	return words
}

func (w *writer) Map(c *mapreduce.Context, n int64, _ mapreduce.Null,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	return random.Write(&w.Writer, c, n, out, func(r *rand.Rand, key, value mapreduce.Text) (k, v mapreduce.Text) {
		return w.sentence(key, r, w.key), w.sentence(value, r, w.value)
	})
}

func (w *writer) sentence(dst mapreduce.Text, r *rand.Rand, words [2]int64) mapreduce.Text {
	n := words[0] + r.Int64N(words[1]-words[0]+1)
	for i := range n {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, w.words[r.IntN(len(w.words))]...)
	}
	return dst
}
