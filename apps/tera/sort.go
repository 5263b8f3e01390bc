package tera

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"path"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// Sort gives TeraSort: the rows in order over all part files. The cut points between reducers are sampled before the job.
func Sort() *mapreduce.App {
	j := &mapreduce.Job{
		Name:        "terasort",
		Input:       rowInput{},
		Output:      rowOutput{},
		Partitioner: partitioner,
	}
	return &mapreduce.App{
		Name:  "terasort",
		Short: "sorts the rows of teragen",
		Usage: "<in> <out>",
		Jobs:  []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) != 2 {
				return usage("terasort", errors.New("want an input and an output"))
			}
			c := r.Conf().Clone()
			mapreduce.SetInputPaths(c, args[0])
			mapreduce.SetOutputPath(c, args[1])
			env := &mapreduce.Env{Conf: c, FS: r.FS()}
			if err := (rowOutput{}).Check(ctx, env); err != nil {
				return err
			}
			if simple, err := isSimple(c); err != nil {
				return err
			} else if simple {
				_, err := r.Run(ctx, j, c)
				return err
			}
			cuts := cutFile(args[1])
			c.Set(mapreduce.KeyPartitionFile, cuts, "terasort")
			defer remove(r, cuts)
			if err := mapreduce.SampleCutPoints(ctx, env, j, stridedSampler{}); err != nil {
				return err
			}
			_, err := r.Run(ctx, j, c)
			return err
		},
	}
}

// isSimple reports whether ranges are parts of the key space of equal size instead of sampled ones.
func isSimple(c *conf.Config) (bool, error) { return c.Bool(keySimple, false) }

const keySimple = "mapreduce.terasort.simplepartitioner"

func partitioner(env *mapreduce.Env, keys mapreduce.Type) (mapreduce.Partitioner, error) {
	if simple, err := isSimple(env.Conf); err != nil || simple {
		return prefixes{}, err
	}
	return mapreduce.TotalOrder(env, keys)
}

// prefixes divides keys by their first three bytes (TeraSort.SimplePartitioner).
type prefixes struct{}

// Partition implements mapreduce.Partitioner. The key is a Text of KeyLen bytes behind one byte of length.
func (prefixes) Partition(key, _ []byte, n int) int {
	each := int(math.Ceil(float64(float32(1<<24) / float32(n)))) // single precision, as there
	return (int(key[1])<<16 | int(key[2])<<8 | int(key[3])) / each
}

// cutFile names the file of cut points: beside the output, which must not exist before the job, and hidden.
func cutFile(out string) string {
	out = strings.TrimRight(out, "/")
	dir, base := path.Split(out)
	return dir + "_partition." + base + ".lst"
}

// remove deletes the cut points; the job is over, whether or not ctx is.
func remove(r mapreduce.Runner, file string) {
	if fs, name, err := r.FS().Resolve(file); err == nil {
		_ = fs.Delete(context.Background(), name, false)
	}
}

// stridedSampler takes the first keys of some splits at equal distances, as Hadoop's TeraInputFormat does.
type stridedSampler struct{}

func (stridedSampler) Sample(ctx context.Context, env *mapreduce.Env, in mapreduce.InputFormat) ([][]byte, error) {
	size, err := env.Conf.Int("mapreduce.terasort.partitions.sample", 100000, 1, 1e9)
	if err != nil {
		return nil, err
	}
	most, err := env.Conf.Int("mapreduce.terasort.num.partitions", 10, 1, 1e6)
	if err != nil {
		return nil, err
	}
	splits, err := in.Splits(ctx, env)
	if err != nil || len(splits) == 0 {
		return nil, err
	}
	samples := min(int(most), len(splits))
	var keys [][]byte
	for i := range samples {
		s := &splits[len(splits)/samples*i]
		r, err := in.Open(mapreduce.NewContext(ctx, *env, mapreduce.TaskInfo{Split: s}), s)
		if err != nil {
			return nil, err
		}
		keys, err = firstKeys(keys, r, int(size)/samples)
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

func firstKeys(keys [][]byte, r mapreduce.RecordReader, n int) ([][]byte, error) {
	defer r.Close()
	for range n {
		key, _, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, bytes.Clone(key))
	}
	return keys, nil
}
