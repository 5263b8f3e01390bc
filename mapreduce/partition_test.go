package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestHashPartition(t *testing.T) {
	p, err := HashPartition(nil, TextWritable)
	require.NoError(t, err)
	hello := appendText(nil, "hello")
	require.EqualValues(t, 127791473, TextWritable.Hash(hello)) // the result of Java's Text.hashCode
	require.Equal(t, 127791473%7, p.Partition(hello, nil, 7))
	p, _ = HashPartition(nil, IntWritable)
	require.Equal(t, 0x7fffffff%10, p.Partition(appendInt(nil, -1), nil, 10))
	require.Equal(t, 0, p.Partition(appendInt(nil, -1<<31), nil, 10))
}

func TestFirstOfPairPartition(t *testing.T) {
	p, err := FirstOfPairPartition(nil, IntPairWritable)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		first, n := rapid.Int32().Draw(t, "first"), rapid.IntRange(1, 50).Draw(t, "n")
		key := func(second int32) []byte { return IntPair{}.Codec().Append(nil, IntPair{first, second}) }
		got := p.Partition(key(rapid.Int32().Draw(t, "second")), nil, n)
		require.Equal(t, got, p.Partition(key(1), nil, n))
		require.True(t, got >= 0 && got < n)
		require.Zero(t, FirstOfPair.Compare(key(1), key(2)))
		prefixLaw(t, FirstOfPair, key(1), key(2))
	})
	_, err = FirstOfPairPartition(nil, TextWritable)
	require.True(t, failure.Is(err, failure.Config))
	require.Equal(t, 3*127%10, p.Partition(IntPair{}.Codec().Append(nil, IntPair{-3, 0}), nil, 10))
}

// The range of a key is the number of cut points that are not above the key.
func TestRangesAgreeWithCounting(t *testing.T) {
	words := rapid.Map(rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 12, -1),
		func(s string) []byte { return appendText(nil, s) })
	rapid.Check(t, func(t *rapid.T) {
		cuts := rapid.SliceOf(words).Draw(t, "cuts")
		slices.SortFunc(cuts, TextWritable.Compare)
		key := words.Draw(t, "key")
		want := 0
		for _, c := range cuts {
			if TextWritable.Compare(c, key) <= 0 {
				want++
			}
		}
		require.Equal(t, want, newRanges(TextWritable, cuts).Partition(key, nil, len(cuts)+1))
	})
}

func TestTotalOrderFile(t *testing.T) {
	env := testEnv(t, nil, conf.JobReduces.Name, "3")
	cuts := [][]byte{appendText(nil, "g"), appendText(nil, "p")}
	require.NoError(t, WriteCutPoints(context.Background(), env, "_partition.lst", TextWritable, cuts))
	p, err := TotalOrder(env, TextWritable)
	require.NoError(t, err)
	for word, want := range map[string]int{"a": 0, "g": 1, "o": 1, "p": 2, "zz": 2} {
		require.Equal(t, want, p.Partition(appendText(nil, word), nil, 3), word)
	}
	_, err = TotalOrder(env, LongWritable)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	env.Conf.Set(conf.JobReduces.Name, "2", "test")
	_, err = TotalOrder(env, TextWritable)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "2 cut points for 2 reducers")
	env.Conf.Set(conf.TotalOrderPartitionerPath.Name, "/none", "test")
	_, err = TotalOrder(env, TextWritable)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	require.NoError(t, WriteCutPoints(context.Background(), env, "/none", TextWritable, [][]byte{cuts[1], cuts[0]}))
	_, err = TotalOrder(env, TextWritable)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

func FuzzDecodeCutPoints(f *testing.F) {
	var good bytes.Buffer
	require.NoError(f, encodeCutPoints(&good, TextWritable, [][]byte{appendText(nil, "a"), appendText(nil, "b")}))
	f.Add(good.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		cuts, err := decodeCutPoints(bytes.NewReader(b), "file", TextWritable)
		if err != nil {
			require.Contains(t, []failure.Kind{failure.Corrupt, failure.Config, failure.Limit, failure.RecordTooLarge},
				failure.KindOf(err))
			return
		}
		newRanges(TextWritable, cuts).Partition([]byte{1, 'x'}, nil, len(cuts)+1)
	})
}

// TestHadoopsCutPoints reads files written by Hadoop's InputSampler and checks that the same
// sampler finds the same cut points.
func TestHadoopsCutPoints(t *testing.T) {
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&in, "k%03d\tv\n", i*617%1000)
	}
	for _, c := range []struct {
		file    string
		sampler Sampler
	}{{"split", SplitSampler{Samples: 100, MaxSplits: 2}}, {"interval", IntervalSampler{Freq: 0.3, MaxSplits: 3}}} {
		hadoops, err := os.ReadFile("testdata/hadoop/partition-" + c.file + ".lst")
		require.NoError(t, err)
		env := testEnv(t, map[string]string{"/in": in.String(), "/hadoops": string(hadoops)},
			conf.InputFileInputFormatInputDir.Name, "/in", conf.JobReduces.Name,
			"7", conf.InputFileInputFormatSplitMaxSize.Name, "2000")
		want, err := readCutPoints(context.Background(), env, "/hadoops", TextWritable)
		require.NoError(t, err)
		require.Len(t, want, 6)
		require.NoError(t, SampleCutPoints(context.Background(), env, &Job{Name: "j", Input: KeyValueTextInput{}}, c.sampler))
		got, err := readCutPoints(context.Background(), env, "_partition.lst", TextWritable)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// A job can sort and partition by an order other than that of its key type.
func TestTotalOrderOfFields(t *testing.T) {
	env := testEnv(t, map[string]string{"/in": "a,10\nb,9\nc,100\nd,7\n"}, conf.InputFileInputFormatInputDir.Name, "/in",
		conf.JobReduces.Name, "2",
		conf.TotalOrderPartitionerNaturalOrder.Name, "false",
		conf.JobPartitionerClass.Name, "TotalOrderPartitioner", conf.JobOutputKeyComparatorClass.Name,
		"KeyFieldBasedComparator", conf.PartitionKeyComparatorOptions.Name, "-k2,2n",
		conf.MapOutputKeyFieldSeparator.Name, ",")
	j := &Job{Name: "j", Input: KeyValueTextInput{}}
	require.NoError(t, SampleCutPoints(context.Background(), env, j, IntervalSampler{Freq: 1}))
	p, err := j.NewPartitioner(env)
	require.NoError(t, err)
	for key, want := range map[string]int{"z,8": 0, "a,9": 0, "a,10": 1, "a,11": 1} {
		require.Equal(t, want, p.Partition(appendText(nil, key), nil, 2), key)
	}
	env.Conf.Set(conf.TotalOrderPartitionerNaturalOrder.Name, "true", "test")
	p, err = j.NewPartitioner(env)
	require.NoError(t, err)
	require.Equal(t, 1, p.Partition(appendText(nil, "z,8"), nil, 2), "by bytes")
}

// With every sampler, the cut points divide the input into ranges of similar size.
func TestSamplersBalance(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "%04d\tx\n", i*7919%4000)
	}
	files := map[string]string{"/in/a": b.String()[:len(b.String())/2], "/in/b": b.String()[len(b.String())/2:]}
	j := &Job{Name: "j", Input: KeyValueTextInput{}, Partitioner: TotalOrder}
	for _, s := range []Sampler{
		RandomSampler{Freq: 0.1, Samples: 300, Seed: 1},
		RandomSampler{Freq: 1, Samples: 200, MaxSplits: 1},
		SplitSampler{Samples: 1000},
		SplitSampler{Samples: 1000, MaxSplits: 2},
		IntervalSampler{Freq: 0.05},
	} {
		env := testEnv(t, files, conf.InputFileInputFormatInputDir.Name, "/in", conf.JobReduces.Name, "5",
			conf.TotalOrderPartitionerPath.Name, "/cuts", conf.InputFileInputFormatSplitMaxSize.Name, "7000")
		require.NoError(t, SampleCutPoints(context.Background(), env, j, s))
		p, err := j.NewPartitioner(env)
		require.NoError(t, err)
		count := make([]int, 5)
		for i := range 4000 {
			count[p.Partition(appendText(nil, fmt.Sprintf("%04d", i)), nil, 5)]++
		}
		for _, n := range count {
			require.InDelta(t, 800, n, 350, "%#v: %v", s, count)
		}
	}
}

func TestSamplesThatAreEqualOrFew(t *testing.T) {
	env := testEnv(t, map[string]string{"/in": "a\na\na\na\nb\n"}, conf.InputFileInputFormatInputDir.Name, "/in",
		conf.JobReduces.Name, "4")
	j := &Job{Name: "j", Input: KeyValueTextInput{}, Partitioner: TotalOrder}
	require.NoError(t, SampleCutPoints(context.Background(), env, j, IntervalSampler{Freq: 1}))
	p, err := j.NewPartitioner(env)
	require.NoError(t, err)
	require.Equal(t, [][]byte{appendText(nil, "a"), appendText(nil, "b")}, p.(*ranges).cuts)

	env = testEnv(t, map[string]string{"/in": ""}, conf.InputFileInputFormatInputDir.Name, "/in", conf.JobReduces.Name,
		"4")
	require.NoError(t, SampleCutPoints(context.Background(), env, j, SplitSampler{Samples: 10}))
	p, err = j.NewPartitioner(env)
	require.NoError(t, err)
	require.Zero(t, p.Partition(appendText(nil, "x"), nil, 4))

	err = SampleCutPoints(context.Background(), env, &Job{Name: "j", Mapper: MapperClass{Key: IntWritable}},
		SplitSampler{})
	require.True(t, failure.Is(err, failure.Config))
	err = SampleCutPoints(context.Background(), env, j, RandomSampler{})
	require.True(t, failure.Is(err, failure.Usage))
}
