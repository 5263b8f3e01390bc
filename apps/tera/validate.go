package tera

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// The keys in TeraValidate's output. Map output also has the keys FILE:begin and FILE:end.
const (
	keyChecksum = "checksum"
	keyError    = "error"
)

// Validate returns TeraValidate. Each map checks the order within a file, and one reducer checks
// the order between files. The output is the checksum of all rows and a line for each error.
func Validate() *mapreduce.App {
	j := &mapreduce.Job{
		Name:    "teravalidate",
		Input:   rowInput{},
		Mapper:  mapreduce.MapOf(func() *validator { return &validator{} }),
		Reducer: mapreduce.ReduceOf(func() *judge { return &judge{} }),
		Conf:    map[string]string{conf.JobReduces.Name: "1"},
	}
	return &mapreduce.App{
		Name:  "teravalidate",
		Short: "checks the output of terasort",
		Usage: "<in> <out>",
		Jobs:  []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) != 2 {
				return usage("teravalidate", errors.New("want an input and an output"))
			}
			c := r.Conf().Clone()
			mapreduce.SetInputPaths(c, args[0])
			// each file is one split
			c.Set(conf.InputFileInputFormatSplitMinSize.Name, strconv.FormatInt(math.MaxInt64, 10), "teravalidate")
			c.Set(conf.JobReduces.Name, "1", "teravalidate")
			mapreduce.SetOutputPath(c, args[1])
			_, err := r.Run(ctx, j, c)
			return err
		},
	}
}

type textOut = mapreduce.Out[string, mapreduce.Text]

// validator checks the order of rows in one file.
type validator struct {
	file string
	last []byte // nil before the first row
	sum  uint128
}

func (v *validator) Setup(c *mapreduce.Context) error {
	v.file = path.Base(c.Task().Split.Chunks[0].Path)
	return nil
}

func (v *validator) Map(_ *mapreduce.Context, key, value mapreduce.Text, out *textOut) error {
	switch {
	case v.last == nil:
		out.Emit(v.file+":begin", key)
	case bytes.Compare(key, v.last) < 0:
		out.Emit(keyError, []byte("misorder in "+v.file+" between "+spelled(v.last)+" and "+spelled(key)))
	}
	crc := crc32.Update(crc32.ChecksumIEEE(key), crc32.IEEETable, value)
	v.sum = v.sum.add(uint128{lo: uint64(crc)})
	v.last = append(v.last[:0], key...)
	return nil
}

func (v *validator) Cleanup(_ *mapreduce.Context, out *textOut) error {
	if v.last != nil {
		out.Emit(v.file+":end", v.last)
		out.Emit(keyChecksum, []byte(v.sum.String()))
	}
	return out.Err()
}

// spelled returns b in hexadecimal.
func spelled(b []byte) string {
	return strings.TrimSpace(fmt.Sprintf("% x", b))
}

// judge is the reducer that checks the order between files. It receives the first and last key of
// each file, in the order of the file names.
type judge struct {
	lastFile string
	last     []byte
}

func (j *judge) Reduce(_ *mapreduce.Context, key string, values iter.Seq[mapreduce.Text], out *textOut) error {
	switch key {
	case keyError:
		for v := range values {
			out.Emit(keyError, v)
		}
	case keyChecksum:
		return addChecksums(values, out)
	default:
		for v := range values {
			if j.lastFile != "" && bytes.Compare(v, j.last) < 0 {
				out.Emit(keyError, []byte("bad key partitioning:\n  file "+j.lastFile+" key "+spelled(j.last)+
					"\n  file "+key+" key "+spelled(v)))
			}
			j.lastFile, j.last = key, append(j.last[:0], v...)
			break
		}
	}
	return nil
}

func addChecksums(values iter.Seq[mapreduce.Text], out *textOut) error {
	var sum uint128
	for v := range values {
		n, err := parse128(string(v))
		if err != nil {
			return err
		}
		sum = sum.add(n)
	}
	out.Emit(keyChecksum, []byte(sum.String()))
	return nil
}
