// Package wordlength computes statistics of word lengths. Mean, Median, and StandardDeviation
// return Hadoop's wordmean, wordmedian, and wordstandarddeviation examples. Lengths are in Java
// characters, so a character beyond U+FFFF counts as two.
package wordlength

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Keys of the sums of lengths.
const (
	keyCount  = "count"
	keyLength = "length"
	keySquare = "square"
)

// Mean returns wordmean.
func Mean() *mapreduce.App {
	return sums("wordmean", "prints the mean length of words", "The mean is: ", mean, keyCount, keyLength)
}

// StandardDeviation returns wordstandarddeviation.
func StandardDeviation() *mapreduce.App {
	return sums("wordstandarddeviation", "prints the standard deviation of the lengths of words",
		"The standard deviation is: ", deviation, keyCount, keyLength, keySquare)
}

// Median returns wordmedian, which counts the words of each length.
func Median() *mapreduce.App {
	return app("wordmedian", "prints the median length of words",
		&mapreduce.Job{
			Mapper: each(mapreduce.IntWritable, mapreduce.IntWritable,
				func() func(int64, mapreduce.Emitter) error { return (&lengths{}).emit }),
			Combiner: mapreduce.Sum[int32](),
			Reducer:  mapreduce.Sum[int32](),
		},
		func(t totals) (string, error) {
			n, ok, err := median(t)
			if !ok || err != nil {
				return "", err
			}
			return fmt.Sprintf("The median is: %d\n", n), nil
		})
}

// sums returns an application that adds up powers of lengths, each power under one of the given
// keys. The application prints says, a label, and then the result of f.
func sums(name, short, says string, f func(totals) float64, keys ...string) *mapreduce.App {
	return app(name, short,
		&mapreduce.Job{
			Mapper: each(mapreduce.TextWritable, mapreduce.LongWritable,
				func() func(int64, mapreduce.Emitter) error { return newPowers(keys).emit }),
			Combiner: mapreduce.Sum[int64](),
			Reducer:  mapreduce.Sum[int64](),
		},
		func(t totals) (string, error) {
			return says + string(mapreduce.AppendDouble(nil, f(t))) + "\n", nil
		})
}

// app returns an application that runs job j. says converts the job's output to the text that the
// application prints.
func app(name, short string, j *mapreduce.Job, says func(totals) (string, error)) *mapreduce.App {
	j.Name = name
	return &mapreduce.App{
		Name: name, Short: short, Usage: "<in> <out>",
		Jobs: []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) != 2 {
				return failure.New(failure.Usage, name, "", errors.New("want an input and an output"))
			}
			c := r.Conf().Clone()
			mapreduce.SetInputPaths(c, args[0])
			mapreduce.SetOutputPath(c, args[1])
			if _, err := r.Run(ctx, j, c); err != nil {
				return err
			}
			t := totals{}
			if err := dir.Lines(ctx, r.FS(), args[1], t.add); err != nil {
				return err
			}
			text, err := says(t)
			if err != nil {
				return err
			}
			fmt.Fprint(r.Stdout(), text)
			return nil
		},
	}
}

// totals contains the output of a job, from all part files.
type totals map[string]int64

func (t totals) add(line string) error {
	key, value, _ := strings.Cut(line, "\t")
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a sum; the output must be uncompressed text", line)
	}
	t[key] += n
	return nil
}

// each returns a mapper that splits lines into words. emit returns the function that the mapper
// calls with the length of each word.
func each(key, value mapreduce.Type, emit func() func(int64, mapreduce.Emitter) error) mapreduce.MapperClass {
	return mapreduce.MapperClass{New: func() mapreduce.Mapper { return &words{emit: emit()} },
		InVal: mapreduce.TextWritable, Key: key, Val: value}
}

type words struct {
	emit func(length int64, out mapreduce.Emitter) error
	buf  []byte
}

// Map implements mapreduce.Mapper.
func (m *words) Map(_ *mapreduce.Context, _, value []byte, out mapreduce.Emitter) error {
	m.buf = mapreduce.TextWritable.AppendText(m.buf[:0], value)
	for line := mapreduce.JavaString(m.buf); len(line) > 0; {
		n := bytes.IndexAny(line, " \t\n\r\f") // separators of Java's StringTokenizer
		if n < 0 {
			n = len(line)
		}
		if n > 0 {
			if err := m.emit(units(line[:n]), out); err != nil {
				return err
			}
		}
		line = line[min(n+1, len(line)):]
	}
	return nil
}

// units returns the length of text in Java characters.
func units(text []byte) (n int64) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n += int64(utf16.RuneLen(r))
		text = text[size:]
	}
	return n
}

// lengths emits each length with the value 1.
type lengths struct{ key [4]byte }

var one = []byte{0, 0, 0, 1}

func (l *lengths) emit(length int64, out mapreduce.Emitter) error {
	binary.BigEndian.PutUint32(l.key[:], uint32(length))
	return out.Emit(l.key[:], one)
}

// powers emits the powers of each length, starting with exponent 0, each under its own key.
type powers struct {
	keys  [][]byte
	value [8]byte
}

func newPowers(keys []string) *powers {
	text, _ := mapreduce.CodecOf[string]()
	p := &powers{}
	for _, k := range keys {
		p.keys = append(p.keys, text.Append(nil, k))
	}
	return p
}

func (p *powers) emit(length int64, out mapreduce.Emitter) error {
	power := int64(1)
	for _, k := range p.keys {
		binary.BigEndian.PutUint64(p.value[:], uint64(power))
		if err := out.Emit(k, p.value[:]); err != nil {
			return err
		}
		power *= length
	}
	return nil
}
