package library_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// run runs a job with the given classes on text and returns its output.
func run(t *testing.T, input, mapper, reducer, text string, kv ...string) (string, error) {
	t.Helper()
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", text))
	r.Conf().Set(conf.JobInputFormatClass.Name, input, "test")
	for i := 0; i < len(kv); i += 2 {
		r.Conf().Set(kv[i], kv[i+1], "test")
	}
	in, err := mapreduce.InputByClass(r.Conf(), conf.JobInputFormatClass.Name, input)
	require.NoError(t, err)
	key, value := in.Types(r.Conf())
	m, err := library.Mapper(mapper, key, value)
	if err != nil {
		return "", err
	}
	red, err := library.Reducer(reducer)
	if err != nil {
		return "", err
	}
	j := &mapreduce.Job{Name: "j", Mapper: m, Reducer: red}
	if err := j.App().Run(context.Background(), r, []string{"/in", "/out"}); err != nil {
		return "", err
	}
	out, err := r.Output("/out")
	require.NoError(t, err)
	return out, nil
}

const pkg = "org.apache.hadoop.mapreduce.lib."

func TestClasses(t *testing.T) {
	for name, c := range map[string]struct {
		input, mapper, reducer, text, want string
		kv                                 []string
	}{
		"identity": {"", pkg + "Mapper", "org.apache.hadoop.mapred.lib.IdentityReducer", "a\nb\n", "0\ta\n2\tb\n", nil},
		"inverse":  {"KeyValueTextInputFormat", pkg + "map.InverseMapper", "", "b\t1\na\t2\n", "1\tb\n2\ta\n", nil},
		"tokens": {"", pkg + "map.TokenCounterMapper", pkg + "reduce.IntSumReducer", "to be  or\n not to\tbe\xff\n",
			"be\t1\nbe\uFFFD\t1\nnot\t1\nor\t1\nto\t2\n", nil},
		"old": {"", "org.apache.hadoop.mapred.lib.TokenCountMapper", "org.apache.hadoop.mapred.lib.LongSumReducer",
			"a a\n", "a\t2\n", nil},
		"offsets": {"KeyValueTextInputFormat", pkg + "map.TokenCounterMapper", pkg + "reduce.IntSumReducer", "a\tx y\n",
			"x\t1\ny\t1\n", nil},
		"regex": {"", pkg + "map.RegexMapper", pkg + "reduce.LongSumReducer", "a1 b22 c1\n", "1\t2\n22\t1\n",
			[]string{conf.MapperRegex.Name, "[a-z]([0-9]+)", conf.MapperRegexMapperGroup.Name, "1"}},
		"fields": {"", pkg + "fieldsel.FieldSelectionMapper", "", "a,b,c,d\n\nx,y,,\n", ",\t\n,y\tx,y\nd,b\ta,b,c,d\n",
			[]string{conf.FieldSelDataFieldSeparator.Name, ",", conf.FieldSelMapOutputKeyValueFieldsSpec.Name, "3,1:0-"}},
		"both": {"KeyValueTextInputFormat", "FieldSelectionMapper", "FieldSelectionReducer", "k\ta,b\n", "ka,b,b\tb,ka\n",
			[]string{conf.FieldSelDataFieldSeparator.Name, ",", conf.FieldSelMapOutputKeyValueFieldsSpec.Name, "0,1:1",
				conf.FieldSelReduceOutputKeyValueFieldsSpec.Name, "0-2:1,0"}},
		"no key": {"", "FieldSelectionMapper", "FieldSelectionReducer", "a|b\n", "a[[|\n",
			[]string{conf.FieldSelDataFieldSeparator.Name, "[|]", conf.FieldSelMapOutputKeyValueFieldsSpec.Name, "0:1",
				conf.FieldSelReduceOutputKeyValueFieldsSpec.Name, ":0"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, c.input, c.mapper, c.reducer, c.text, c.kv...)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		mapper, reducer string
		kv              []string
	}{
		"mapper": {"org.example.Mine", "", nil}, "reducer": {"", "Mine", nil},
		"expression": {"RegexMapper", "", []string{conf.MapperRegex.Name, "("}},
		"group":      {"RegexMapper", "", []string{conf.MapperRegex.Name, "a", conf.MapperRegexMapperGroup.Name, "1"}},
		"spec":       {"FieldSelectionMapper", "", []string{conf.FieldSelMapOutputKeyValueFieldsSpec.Name, "a:"}},
		"range":      {"FieldSelectionMapper", "", []string{conf.FieldSelMapOutputKeyValueFieldsSpec.Name, "0-9999999:"}},
		"separator":  {"FieldSelectionMapper", "", []string{conf.FieldSelDataFieldSeparator.Name, "("}},
	} {
		_, err := run(t, "", c.mapper, c.reducer, "a\n", c.kv...)
		require.True(t, failure.Is(err, failure.Config), "%s: %v", name, err)
	}
}

type nowhere struct{}

func (nowhere) Emit(_, _ []byte) error { return nil }

func BenchmarkMap(b *testing.B) {
	c := conf.New()
	c.Set(conf.FieldSelMapOutputKeyValueFieldsSpec.Name, "1:0-", "bench")
	c.Set(conf.MapperRegex.Name, "nothing", "bench")
	env := mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: c}, mapreduce.TaskInfo{})
	line := append([]byte{21}, "some\twords\tof\ta\tline"...)[:21]
	line[0] = 20
	for _, class := range []string{"InverseMapper", "TokenCounterMapper", "RegexMapper", "FieldSelectionMapper"} {
		b.Run(class, func(b *testing.B) {
			m, err := library.Mapper(class, mapreduce.LongWritable, mapreduce.TextWritable)
			require.NoError(b, err)
			mapper := m.New()
			if s, ok := mapper.(mapreduce.Setupper); ok {
				require.NoError(b, s.Setup(env))
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := mapper.Map(env, make([]byte, 8), line, nowhere{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleFieldSelection() {
	j := &mapreduce.Job{Name: "select", Mapper: library.FieldSelection(mapreduce.LongWritable, mapreduce.TextWritable),
		Conf: map[string]string{conf.FieldSelDataFieldSeparator.Name: ",",
			conf.FieldSelMapOutputKeyValueFieldsSpec.Name: "1:0,2"}}
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in", "a,7,x\nb,5,y\n"); err != nil {
		fmt.Println(err)
	}
	err := j.App().Run(context.Background(), r, []string{"/in", "/out"})
	out, _ := r.Output("/out")
	fmt.Print(strings.ReplaceAll(out, "\t", " "), err)
	// Output:
	// 5 b,y
	// 7 a,x
	// <nil>
}
