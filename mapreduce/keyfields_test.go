package mapreduce

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func settingsOf(kv ...string) *conf.Config {
	c := conf.New()
	for i := 0; i < len(kv); i += 2 {
		c.Set(kv[i], kv[i+1], "test")
	}
	return c
}

func textKey(s string) []byte { return appendText(nil, s) }

func TestOrderByClass(t *testing.T) {
	j := &Job{Name: "j", Input: KeyValueTextInput{}}
	c := settingsOf(conf.JobOutputKeyComparatorClass.Name, "org.apache.hadoop.mapred.lib.KeyFieldBasedComparator",
		conf.PartitionKeyComparatorOptions.Name, "-k2,2nr",
		conf.MapOutputKeyFieldSeparator.Name, ",")
	require.NoError(t, j.Validate(c))
	order := j.Comparator(c)
	require.Negative(t, order.Compare(textKey("a,10"), textKey("b,9")))
	require.Zero(t, order.Compare(textKey("a,9"), textKey("b,9.0")))
	require.Less(t, order.Prefix(textKey("a,10")), order.Prefix(textKey("a,9")))
	require.Zero(t, order.Compare(textKey("x"), textKey("y")))
	require.NotZero(t, j.GroupComparator(c).Compare(textKey("x"), textKey("x")), "a key without the field is a group")
	require.Zero(t, j.GroupComparator(c).Compare(textKey("a,9"), textKey("b,9.0")))

	c = settingsOf(conf.JobOutputGroupComparatorClass.Name, "KeyFieldBasedComparator",
		conf.PartitionKeyComparatorOptions.Name, "-k1,1")
	require.Equal(t, Comparator(TextWritable), j.Comparator(c))
	require.Zero(t, j.GroupComparator(c).Compare(textKey("a\tb"), textKey("a\tc")))

	require.NoError(t, j.Validate(settingsOf(conf.JobOutputKeyComparatorClass.Name, "KeyFieldBasedComparator",
		conf.MapOutputKeyFieldSeparator.Name, "")),
		"the default, a tab")

	c = settingsOf(conf.JobOutputKeyComparatorClass.Name, "org.apache.hadoop.io.LongWritable$DecreasingComparator")
	require.Positive(t, (&Job{Name: "j"}).Comparator(c).Compare(appendLong(nil, 1), appendLong(nil, 2)))
	require.Equal(t, Comparator(IntWritable), (&Job{Sort: IntWritable}).Comparator(c), "a job insists on its order")
	require.Equal(t, Comparator(BytesWritable),
		j.Comparator(settingsOf(conf.JobOutputKeyComparatorClass.Name, "org.apache.hadoop.io.BytesWritable$Comparator")))

	for _, bad := range []*conf.Config{
		settingsOf(conf.JobOutputKeyComparatorClass.Name, "org.example.Mine"),
		settingsOf(conf.JobOutputGroupComparatorClass.Name, "Mine"),
		settingsOf(conf.JobOutputKeyComparatorClass.Name, "KeyFieldBasedComparator", conf.PartitionKeyComparatorOptions.Name,
			"-kx"),
	} {
		require.True(t, failure.Is(j.Validate(bad), failure.Config), "%v", j.Validate(bad))
	}
}

func TestPartitionerByClass(t *testing.T) {
	j := &Job{Name: "j", Input: KeyValueTextInput{}}
	make := func(kv ...string) (Partitioner, error) {
		return j.NewPartitioner(&Env{Conf: settingsOf(append(kv, conf.JobReduces.Name, "1000", conf.JobPartitionerClass.Name,
			"org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner")...)})
	}
	p, err := make(conf.MapOutputKeyFieldSeparator.Name, ".", conf.PartitionKeyPartitionerOptions.Name, "-k1,2")
	require.NoError(t, err)
	require.Equal(t, p.Partition(textKey("11.12.1.2"), nil, 1000), p.Partition(textKey("11.12.9"), nil, 1000))
	require.NotEqual(t, p.Partition(textKey("11.12.1.2"), nil, 1000), p.Partition(textKey("11.13.1.2"), nil, 1000))

	q, err := make(conf.MapOutputKeyFieldSeparator.Name, ".", conf.NumKeyFieldsForPartition.Name, "2")
	require.NoError(t, err)
	require.Equal(t, p.Partition(textKey("11.12.1.2"), nil, 1000), q.Partition(textKey("11.12.5"), nil, 1000))

	whole, err := make()
	require.NoError(t, err)
	require.Equal(t, 99162322%1000, whole.Partition(textKey("hello"), nil, 1000), "the hash of java.lang.String")

	_, err = make(conf.PartitionKeyPartitionerOptions.Name, "-k1.x")
	require.True(t, failure.Is(err, failure.Config))
	_, err = make(conf.NumKeyFieldsForPartition.Name, "two")
	require.True(t, failure.Is(err, failure.Config))
	_, err = j.NewPartitioner(&Env{Conf: settingsOf(conf.JobReduces.Name, "2", conf.JobPartitionerClass.Name, "Mine")})
	require.True(t, failure.Is(err, failure.Config))
}

func TestHashOfAJavaString(t *testing.T) {
	// The expected values are results of Java's String.hashCode.
	for text, want := range map[string]int32{"": 0, "hello": 99162322, "é": 233, "😀": 1772899} {
		require.Equal(t, want, hashString([]byte(text)), text)
	}
}

func TestFieldsOfNumbers(t *testing.T) {
	p, err := FieldPartition(&Env{Conf: settingsOf(conf.PartitionKeyPartitionerOptions.Name, "-k1.1,1.1")}, LongWritable)
	require.NoError(t, err)
	require.Equal(t, p.Partition(appendLong(nil, 12), nil, 100), p.Partition(appendLong(nil, 19), nil, 100))
	require.NotEqual(t, p.Partition(appendLong(nil, 12), nil, 100), p.Partition(appendLong(nil, 21), nil, 100))
}

func BenchmarkFieldPartition(b *testing.B) {
	p, err := FieldPartition(&Env{Conf: settingsOf(conf.PartitionKeyPartitionerOptions.Name, "-k2,2")}, TextWritable)
	require.NoError(b, err)
	key := textKey("some\tfields\tof a key")
	b.ReportAllocs()
	for b.Loop() {
		p.Partition(key, nil, 7)
	}
}

func ExampleFieldComparator() {
	c := conf.New()
	c.Set(conf.PartitionKeyComparatorOptions.Name, "-k2,2n", "example")
	order, err := FieldComparator(c)
	fmt.Println(order.Compare(textKey("b\t9"), textKey("a\t10")) < 0, err)
	// Output: true <nil>
}
