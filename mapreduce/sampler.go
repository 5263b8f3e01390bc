package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/job/failure"
)

// Sampler selects a sample of the input's keys. SampleCutPoints derives the ranges of TotalOrder
// from the sample.
type Sampler interface {
	// Sample returns the sampled keys in any order.
	Sample(ctx context.Context, env *Env, in InputFormat) ([][]byte, error)
}

// SampleCutPoints samples the job's input and writes cut points for TotalOrder to the file at the
// path in conf.TotalOrderPartitionerPath. The number of cut points is one less than the number of
// reducers, or lower if the sample contains too few different keys. The mapper must emit the input
// keys unchanged.
func SampleCutPoints(ctx context.Context, env *Env, j *Job, s Sampler) error {
	reduces, err := Reduces(env.Conf)
	if err != nil {
		return err
	}
	keys, _ := j.MapOutputTypes(env.Conf)
	if in, _ := j.InputFormat().Types(env.Conf); keys == nil || in != nil && in.Class() != keys.Class() {
		return failure.New(failure.Config, "sample the input of", j.Name,
			errors.New("the input keys and the map output keys have different types"))
	}
	in := checkedInput{j.InputFormat(), &Job{Name: j.Name, Mapper: MapperClass{New: j.NewMapper, InKey: keys}}}
	samples, err := s.Sample(ctx, env, in)
	if err != nil {
		return err
	}
	order := j.Comparator(env.Conf)
	slices.SortFunc(samples, order.Compare)
	return WriteCutPoints(ctx, env, partitionFile(env), keys, chooseCuts(samples, order, reduces))
}

// checkedInput is an input format that checks the key type when it opens a split, because the type
// may be unknown until then.
type checkedInput struct {
	InputFormat
	job *Job
}

func (in checkedInput) Open(c *Context, s *Split) (RecordReader, error) {
	r, err := in.InputFormat.Open(c, s)
	if err != nil {
		return nil, err
	}
	if err := in.job.CheckRecords(c.Conf, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// chooseCuts selects every (len/parts)th sample, computed in single precision like Hadoop. It skips
// samples equal to the previous cut point because the range between them would be empty.
func chooseCuts(sorted [][]byte, order Comparator, parts int) [][]byte {
	var cuts [][]byte
	step := float32(len(sorted)) / float32(parts)
	next := 0
	for i := 1; i < parts; i++ {
		next = max(next, int(math.Floor(float64(float32(step*float32(i)))+0.5)))
		for next < len(sorted) && len(cuts) > 0 && order.Compare(cuts[len(cuts)-1], sorted[next]) == 0 {
			next++
		}
		if next >= len(sorted) {
			break
		}
		cuts = append(cuts, sorted[next])
	}
	return cuts
}

// SplitSampler selects the first keys of the first splits. It is cheap but works only for input in
// random order.
type SplitSampler struct {
	Samples   int // approximate number of keys to select; each nonempty split contributes at least one
	MaxSplits int // maximum number of splits to read; 0 = all
}

// Sample implements Sampler.
func (s SplitSampler) Sample(ctx context.Context, env *Env, in InputFormat) ([][]byte, error) {
	splits, err := in.Splits(ctx, env)
	if err != nil || len(splits) == 0 {
		return nil, err
	}
	splits = splits[:atMost(s.MaxSplits, len(splits))]
	each := s.Samples / len(splits)
	var out [][]byte
	for i := range splits {
		err := eachKey(ctx, env, in, &splits[i], func(key []byte) bool {
			out = append(out, bytes.Clone(key))
			return len(out) < (i+1)*each
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// IntervalSampler selects keys at regular intervals. It is for sorted input.
type IntervalSampler struct {
	Freq      float64 // fraction of the keys to select, from 0 to 1
	MaxSplits int     // maximum number of splits to read; 0 = all
}

// Sample implements Sampler.
func (s IntervalSampler) Sample(ctx context.Context, env *Env, in InputFormat) ([][]byte, error) {
	splits, err := in.Splits(ctx, env)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	records := 0
	for i := range atMost(s.MaxSplits, len(splits)) {
		err := eachKey(ctx, env, in, &splits[i], func(key []byte) bool {
			records++
			if float64(len(out))/float64(records) < s.Freq {
				out = append(out, bytes.Clone(key))
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RandomSampler selects each key with a given probability and keeps a limited number of keys. It
// works for any input.
type RandomSampler struct {
	Freq      float64 // probability of selecting a key, from 0 to 1
	Samples   int     // maximum number of keys to keep
	MaxSplits int     // number of splits to read; more if they contain too few keys; 0 = all
	Seed      uint64  // equal seeds select the same keys
}

// Sample implements Sampler.
func (s RandomSampler) Sample(ctx context.Context, env *Env, in InputFormat) ([][]byte, error) {
	if s.Samples < 1 {
		return nil, failure.New(failure.Usage, "sample", "", fmt.Errorf("got %d samples, want at least 1", s.Samples))
	}
	splits, err := in.Splits(ctx, env)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(s.Seed, 0))
	r.Shuffle(len(splits), func(i, j int) { splits[i], splits[j] = splits[j], splits[i] })
	var out [][]byte
	freq := s.Freq
	take := func(key []byte) bool {
		switch {
		case r.Float64() > freq:
		case len(out) < s.Samples:
			out = append(out, bytes.Clone(key))
		default:
			// Later keys replace earlier keys with decreasing probability, so that every key has
			// about the same chance of being kept.
			out[r.IntN(len(out))] = bytes.Clone(key)
			freq *= float64(s.Samples-1) / float64(s.Samples)
		}
		return true
	}
	n := atMost(s.MaxSplits, len(splits))
	for i := 0; i < n || i < len(splits) && len(out) < s.Samples; i++ {
		if err := eachKey(ctx, env, in, &splits[i], take); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func atMost(limit, n int) int {
	if limit <= 0 {
		return n
	}
	return min(limit, n)
}

// eachKey calls f for each key in s until f returns false.
func eachKey(ctx context.Context, env *Env, in InputFormat, s *Split, f func(key []byte) bool) (err error) {
	r, err := in.Open(NewContext(ctx, *env, TaskInfo{Split: s}), s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		key, _, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !f(key) {
			return nil
		}
	}
}
