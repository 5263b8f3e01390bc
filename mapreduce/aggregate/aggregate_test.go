package aggregate_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// identity returns a job whose mapper copies lines of KEY TAB VALUE, like a Streaming mapper.
func identity() *mapreduce.Job {
	return &mapreduce.Job{Name: "sums", Input: mapreduce.KeyValueTextInput{}, Combiner: aggregate.Combiner(),
		Reducer: aggregate.Reducer()}
}

// reduced runs the job and returns its output. Each file is the input of one map.
func reduced(t *testing.T, files ...string) (string, error) {
	t.Helper()
	r := mrtest.NewRunner()
	for i, text := range files {
		require.NoError(t, r.WriteFile("/in/"+strconv.Itoa(i), text))
	}
	err := identity().App().Run(context.Background(), r, []string{"/in", "/out"})
	if err != nil {
		return "", err
	}
	out, err := r.Output("/out")
	require.NoError(t, err)
	return out, nil
}

func TestKinds(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"sum":          {"LongValueSum:a\t3 LongValueSum:a\t-5 LongValueSum:b\t+7", "a\t-2|b\t7|"},
		"sum wraps":    {"LongValueSum:a\t9223372036854775807 LongValueSum:a\t1", "a\t-9223372036854775808|"},
		"any case":     {"longvaluesum:a\t3 LONGVALUESUM:a\t4", "a\t4|a\t3|"},
		"max":          {"LongValueMax:a\t3 LongValueMax:a\t-5", "a\t3|"},
		"min":          {"LongValueMin:a\t3 LongValueMin:a\t-5", "a\t-5|"},
		"double":       {"DoubleValueSum:a\t0.1 DoubleValueSum:a\t.2", "a\t0.30000000000000004|"},
		"double whole": {"DoubleValueSum:a\t1e7d", "a\t1.0E7|"},
		"last":         {"StringValueMax:a\tx StringValueMax:a\txy", "a\txy|"},
		"first":        {"StringValueMin:a\ty StringValueMin:a\tx", "a\tx|"},
		"utf-16 order": {"StringValueMax:a\t\U0001f600 StringValueMax:a\t\uff5e", "a\t\uff5e|"},
		"unique":       {"UniqValueCount:a\tx UniqValueCount:a\ty UniqValueCount:a\tx", "a\t2|"},
		"histogram": {"ValueHistogram:a\tx ValueHistogram:a\ty ValueHistogram:a\tx ValueHistogram:a\tz\t5",
			"a\t3\t1\t2\t5\t2.6666666666666665\t1.699673171197595|"},
		"colons":   {"LongValueSum:a:b\t1", "a:b\t1|"},
		"no utf-8": {"LongValueSum:\xff\t1", "\uFFFD\t1|"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := strings.ReplaceAll(c.in, " ", "\n") + "\n"
			got, err := reduced(t, lines)
			require.NoError(t, err)
			require.Equal(t, c.want, strings.ReplaceAll(got, "\n", "|"))
			// With one map per value, the combiners see single values.
			got, err = reduced(t, strings.SplitAfter(lines, "\n")...)
			require.NoError(t, err)
			require.Equal(t, c.want, strings.ReplaceAll(got, "\n", "|"))
		})
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		"apples\t1": "no colon", "Sum:a\t1": `unknown kind "Sum"`, "LongValueSum:a\tx": `"x" is not an integer`,
		"LongValueMax:a\t9223372036854775808": "not an integer", "LongValueMin:a\t": "not an integer",
		"DoubleValueSum:a\t1_0": "not a number", "DoubleValueSum:a\tinf": "not a number",
		"ValueHistogram:a\tx\ty": "not an integer",
	} {
		_, err := reduced(t, in+"\n")
		require.True(t, failure.Is(err, failure.User), "%s: %v", in, err)
		require.ErrorContains(t, err, want, in)
	}
}

func TestMostUniqueValues(t *testing.T) {
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", "UniqValueCount:a\tx\nUniqValueCount:a\ty\nUniqValueCount:a\tz\n"))
	r.Conf().Set(conf.AggregateMaxNumUniqueValues.Name, "1", "test")
	require.NoError(t, identity().App().Run(context.Background(), r, []string{"/in", "/out"}))
	out, err := r.Output("/out")
	require.NoError(t, err)
	require.Equal(t, "a\t2\n", out, "Hadoop stops at one more")
}

func TestApp(t *testing.T) {
	app := aggregate.App("lengths", "lengths of lines", aggregate.Records,
		func(_ *mapreduce.Context, key, value []byte, out *aggregate.Entries) {
			out.Add(aggregate.LongValueMax, []byte("longest"), strconv.AppendInt(nil, int64(len(value)), 10))
			out.Add(aggregate.StringValueMax, []byte("offset"), key)
		})
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in/a", "to be\nor\n"))
	require.NoError(t, app.Run(context.Background(), r, []string{"/in", "/out", "2", "TextInputFormat"}))
	out, err := r.Output("/out")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"longest\t5", "mem:/in/a\t2", "offset\t6", "record_count\t2"},
		strings.Split(strings.TrimSpace(out), "\n"))
	for _, bad := range [][]string{{"/in"}, {"/in", "/o", "none"}, {"/in", "/o", "0"},
		{"1", "2", "3", "4", "5", "6", "7"}} {
		require.True(t, failure.Is(app.Run(context.Background(), r, bad), failure.Usage))
	}
}

// ones yields the same value n times.
func ones(n int, value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; i < n && yield(value); i++ {
		}
	}
}

type nowhere struct{}

func (nowhere) Emit(_, _ []byte) error { return nil }

func TestNothingIsAllocatedPerValue(t *testing.T) {
	for _, kind := range []string{"LongValueSum", "LongValueMin", "DoubleValueSum", "StringValueMax", "UniqValueCount",
		"ValueHistogram"} {
		r := aggregate.Combiner().New()
		c := mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: conf.New()}, mapreduce.TaskInfo{})
		require.NoError(t, r.(mapreduce.Setupper).Setup(c))
		key, values := text(kind+":a"), ones(1000, text("12"))
		allocs := testing.AllocsPerRun(10, func() { require.NoError(t, r.Reduce(c, key, values, nowhere{})) })
		require.Less(t, allocs, 10.0, "%s: of 1000 values", kind)
	}
}

func BenchmarkReduce(b *testing.B) {
	for _, kind := range []string{"LongValueSum", "DoubleValueSum", "StringValueMax", "UniqValueCount", "ValueHistogram"} {
		b.Run(kind, func(b *testing.B) {
			r := aggregate.Combiner().New()
			c := mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: conf.New()}, mapreduce.TaskInfo{})
			require.NoError(b, r.(mapreduce.Setupper).Setup(c))
			key, value := text(kind+":a"), text("12")
			values := ones(b.N, value)
			b.ReportAllocs()
			b.ResetTimer()
			require.NoError(b, r.Reduce(c, key, values, nowhere{}))
		})
	}
}

func text(s string) []byte { return append([]byte{byte(len(s))}, s...) }

func FuzzValues(f *testing.F) {
	f.Add("DoubleValueSum", []byte("0x1p3"))
	f.Add("ValueHistogram", []byte("a\t\xff"))
	f.Fuzz(func(t *testing.T, kind string, value []byte) {
		r := aggregate.Reducer().New()
		c := mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: conf.New()}, mapreduce.TaskInfo{})
		require.NoError(t, r.(mapreduce.Setupper).Setup(c))
		_ = r.Reduce(c, []byte(kind), ones(2, bytes.Clone(value)), nowhere{})
		_ = r.Reduce(c, text(kind+":a"), ones(2, bytes.Clone(value)), nowhere{})
	})
}

func ExampleApp() {
	words := aggregate.App("words", "how often each word comes",
		func(_ *mapreduce.Context, _, line []byte, out *aggregate.Entries) {
			for _, w := range bytes.Fields(line) {
				out.Add(aggregate.LongValueSum, w, []byte("1"))
			}
		})
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in", "to be or\nnot to be\n"); err != nil {
		fmt.Println(err)
	}
	err := words.Run(context.Background(), r, []string{"/in", "/out", "1", "textinputformat"})
	out, _ := r.Output("/out")
	fmt.Print(out, err)
	// Output:
	// be	2
	// not	1
	// or	1
	// to	2
	// <nil>
}
