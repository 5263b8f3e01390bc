// Package randomtext writes lines of random words, the input of other jobs.
package randomtext

import (
	"context"
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
	keyTotal       = "mapreduce.randomtextwriter.totalbytes"
	keyPerMap      = "mapreduce.randomtextwriter.bytespermap"
	keyMaps        = "mapreduce.randomtextwriter.mapsperhost" // maps, when no total is given: there is no asking how many hosts will help
	keyMinKey      = "mapreduce.randomtextwriter.minwordskey"
	keyMaxKey      = "mapreduce.randomtextwriter.maxwordskey"
	keyMinValue    = "mapreduce.randomtextwriter.minwordsvalue"
	keyMaxValue    = "mapreduce.randomtextwriter.maxwordsvalue"
	keySeed        = "howdah.randomtextwriter.seed"
	group          = "org.apache.hadoop.examples.RandomTextWriter$Counters"
	vocabularySize = 1000
)

// App gives the application.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "randomtextwriter",
		Input:  ranges.Input{Cut: cut},
		Mapper: mapreduce.MapOf(func() *writer { return &writer{} }),
		Conf:   map[string]string{mapreduce.KeyReduces: "0"},
	}
	return &mapreduce.App{
		Name:  "randomtextwriter",
		Short: "writes random text, 1 GiB a map unless configured",
		Usage: "[-outFormat CLASS] <out>",
		Jobs:  []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			c := r.Conf().Clone()
			if len(args) > 1 && args[0] == "-outFormat" {
				c.Set(mapreduce.KeyOutputClass, args[1], "randomtextwriter")
				args = args[2:]
			}
			if len(args) != 1 {
				return failure.New(failure.Usage, "randomtextwriter", "", errors.New("want an output"))
			}
			c.Set(mapreduce.KeyReduces, "0", "randomtextwriter")
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
	if maps, err = c.Int(keyMaps, 10, 1, 100000); err != nil {
		return 0, 0, err
	}
	total, err := c.Int(keyTotal, 0, 0, math.MaxInt64)
	if err != nil || total == 0 {
		return bytes, maps, err
	}
	maps = max(1, total/bytes)
	if maps > 100000 {
		return 0, 0, failure.New(failure.Config, "read setting", keyTotal, fmt.Errorf("%d bytes make %d maps, more than 100000; raise %s", total, maps, keyPerMap))
	}
	return total / maps, maps, nil
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
	words            []string
	key, value       [2]int64 // least and most words
	bytes            int64
	seed             uint64
	written, records *mapreduce.Counter
}

func (w *writer) Setup(c *mapreduce.Context) (err error) {
	read := func(key string, def int64) (n int64) {
		if err == nil {
			n, err = c.Conf.Int(key, def, 0, 1e6)
		}
		return n
	}
	w.key = [2]int64{read(keyMinKey, 5), read(keyMaxKey, 10)}
	w.value = [2]int64{read(keyMinValue, 10), read(keyMaxValue, 100)}
	if err != nil {
		return err
	}
	if w.key[1] < w.key[0] || w.value[1] < w.value[0] || w.key[1]+w.value[1] == 0 {
		return failure.New(failure.Config, "write random text", "", errors.New("the most words must not be fewer than the least, nor 0"))
	}
	seed, err := c.Conf.Int(keySeed, 1, 0, math.MaxInt64)
	if err != nil {
		return err
	}
	if w.bytes, _, err = perMap(c.Conf); err != nil {
		return err
	}
	w.seed, w.words = uint64(seed), vocabulary(uint64(seed))
	if w.written, err = c.Counter(group, "BYTES_WRITTEN"); err != nil {
		return err
	}
	w.records, err = c.Counter(group, "RECORDS_WRITTEN")
	return err
}

// vocabulary makes words of 3 to 12 letters.
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

func (w *writer) Map(c *mapreduce.Context, n int64, _ mapreduce.Null, out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	r := rand.New(rand.NewPCG(w.seed, uint64(n)))
	var key, value []byte
	for left, i := w.bytes, 0; left > 0; i++ {
		key = w.sentence(key[:0], r, w.key)
		value = w.sentence(value[:0], r, w.value)
		out.Emit(key, value)
		size := int64(len(key) + len(value))
		left -= size
		w.written.Add(size)
		w.records.Add(1)
		if i%1000 == 0 {
			c.SetStatus("wrote record " + strconv.Itoa(i) + ". " + strconv.FormatInt(left, 10) + " bytes left.")
			if err := errors.Join(c.Context().Err(), out.Err()); err != nil {
				return err
			}
		}
	}
	return out.Err()
}

func (w *writer) sentence(dst []byte, r *rand.Rand, words [2]int64) []byte {
	n := words[0] + r.Int64N(words[1]-words[0]+1)
	for i := range n {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, w.words[r.IntN(len(w.words))]...)
	}
	return dst
}
