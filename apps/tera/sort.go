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

// Sort returns TeraSort, which writes the rows in order across all part files. Before the job starts,
// it samples keys to choose the cut points between reducers, unless
// mapreduce.terasort.simplepartitioner is set.
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
			c.Set(conf.TotalOrderPartitionerPath.Name, cuts, "terasort")
			defer remove(r, cuts)
			if err := mapreduce.SampleCutPoints(ctx, env, j, stridedSampler{}); err != nil {
				return err
			}
			_, err := r.Run(ctx, j, c)
			return err
		},
	}
}

// isSimple reports whether reducers get equal parts of the key space instead of ranges derived from
// a sample.
func isSimple(c *conf.Config) (bool, error) { return conf.TeraSortSimplePartitioner.Get(c) }

func partitioner(env *mapreduce.Env, keys mapreduce.Type) (mapreduce.Partitioner, error) {
	if simple, err := isSimple(env.Conf); err != nil || simple {
		return prefixes{}, err
	}
	return mapreduce.TotalOrder(env, keys)
}

// prefixes is a partitioner that divides the key space by the first three bytes of keys, like
// Hadoop's TeraSort.SimplePartitioner.
type prefixes struct{}

// Partition implements mapreduce.Partitioner. The key is a Text, which consists of a one-byte
// length and KeyLen bytes.
func (prefixes) Partition(key, _ []byte, n int) int {
	each := int(math.Ceil(float64(float32(1<<24) / float32(n)))) // single precision, as in Hadoop
	return (int(key[1])<<16 | int(key[2])<<8 | int(key[3])) / each
}

// cutFile returns the path of the hidden file for cut points. The file is next to the output
// directory out, because out does not exist before the job.
func cutFile(out string) string {
	out = strings.TrimRight(out, "/")
	dir, base := path.Split(out)
	return dir + "_partition." + base + ".lst"
}

// remove deletes the cut points, even if the application's context has ended.
func remove(r mapreduce.Runner, file string) {
	if fs, name, err := r.FS().Resolve(file); err == nil {
		_ = fs.Delete(context.Background(), name, false)
	}
}

// stridedSampler samples the first keys of several equally spaced splits, as Hadoop's
// TeraInputFormat does.
type stridedSampler struct{}

func (stridedSampler) Sample(ctx context.Context, env *mapreduce.Env, in mapreduce.InputFormat) ([][]byte, error) {
	size, err := conf.TeraSortPartitionsSample.Get(env.Conf)
	if err != nil {
		return nil, err
	}
	most, err := conf.TeraSortNumPartitions.Get(env.Conf)
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
