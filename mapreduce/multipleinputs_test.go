package mapreduce_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

type out = mapreduce.Out[string, string]

// twoSources returns two sources: people reads lines of KEY TAB NAME, and visits reads lines of
// "KEY N".
func twoSources() mapreduce.MultipleInputs {
	people := func(_ *mapreduce.Context, id, name string, out *out) error {
		out.Emit(id, "is "+name)
		return nil
	}
	visits := func(c *mapreduce.Context, _ int64, line string, out *out) error {
		var id string
		var n int
		_, err := fmt.Sscan(line, &id, &n)
		out.Emit(id, strconv.Itoa(n)+" visits")
		return err
	}
	return mapreduce.MultipleInputs{
		{Name: "people", Format: mapreduce.KeyValueTextInput{}, Mapper: mapreduce.MapFunc(people)},
		{Name: "visits", Mapper: mapreduce.MapFunc(visits)},
	}
}

func ExampleMultipleInputs() {
	in := twoSources() // one source reads KEY TAB NAME, the other reads "KEY N"
	j := &mapreduce.Job{Name: "join", Input: in, Mapper: in.Mapper()}
	r := mrtest.NewRunner()
	for name, text := range map[string]string{"/people": "7\tEve\n8\tBob\n", "/visits": "8 3\n7 1\n"} {
		if err := r.WriteFile(name, text); err != nil {
			fmt.Println(err)
		}
	}
	c := r.Conf().Clone()
	in.Add(c, "people", "/people")
	in.Add(c, "visits", "/visits")
	mapreduce.SetOutputPath(c, "/out")
	_, err := r.Run(context.Background(), j, c)
	text, _ := r.Output("/out")
	fmt.Print(text, err)
	// Output:
	// 7	is Eve
	// 7	1 visits
	// 8	is Bob
	// 8	3 visits
	// <nil>
}

func runInputs(t *testing.T, j *mapreduce.Job, kv ...string) (string, error) {
	t.Helper()
	r := mrtest.NewRunner()
	for name, text := range map[string]string{"/a": "1\tx\n", "/b/f,1": "2 y\n", "/b/g": "3 z\n"} {
		require.NoError(t, r.WriteFile(name, text))
	}
	c := r.Conf().Clone()
	for i := 0; i < len(kv); i += 2 {
		c.Set(kv[i], kv[i+1], "test")
	}
	mapreduce.SetOutputPath(c, "/out")
	if _, err := r.Run(context.Background(), j, c); err != nil {
		return "", err
	}
	text, err := r.Output("/out")
	require.NoError(t, err)
	return text, nil
}

// As in Hadoop's DelegatingInputFormat, classes name the formats, and a single mapper processes all
// records.
func TestFormatsByClass(t *testing.T) {
	lines := func(_ *mapreduce.Context, key, value string, out *out) error {
		out.Emit(value, key)
		return nil
	}
	j := &mapreduce.Job{Name: "j", Mapper: mapreduce.MapFunc(lines)}
	got, err := runInputs(t, j, conf.JobInputFormatClass.Name,
		"org.apache.hadoop.mapreduce.lib.input.DelegatingInputFormat",
		conf.InputMultipleInputsDirFormats.Name, "/a;org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat,/b/g;"+
			"KeyValueTextInputFormat")
	require.NoError(t, err)
	require.Equal(t, "\t3 z\nx\t1\n", got)
}

// closed is a mapper that counts the calls of Close.
type closed struct{ n *int }

func (closed) Map(*mapreduce.Context, []byte, []byte, mapreduce.Emitter) error { return nil }

func (c closed) Close() { *c.n++ }

func TestMappersOfSourcesAreClosed(t *testing.T) {
	n := 0
	in := mapreduce.MultipleInputs{{Name: "lines", Mapper: mapreduce.MapperClass{
		New: func() mapreduce.Mapper { return closed{&n} }}}}
	j := &mapreduce.Job{Name: "j", Input: in, Mapper: in.Mapper()}
	_, err := runInputs(t, j, conf.InputMultipleInputsDirFormats.Name, "/a;lines", conf.InputMultipleInputsDirMappers.Name,
		"/a;lines")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestPathsWithCommas(t *testing.T) {
	in := twoSources()
	c := conf.New()
	in.Add(c, "visits", `/b/f\,1,/b/g`)
	in.Add(c, "people", "/a")
	got, err := runInputs(t, &mapreduce.Job{Name: "j", Input: in, Mapper: in.Mapper()},
		conf.InputMultipleInputsDirFormats.Name, c.Get(conf.InputMultipleInputsDirFormats.Name),
		conf.InputMultipleInputsDirMappers.Name,
		c.Get(conf.InputMultipleInputsDirMappers.Name))
	require.Error(t, err, "y is not a number")
	require.Empty(t, got)
	require.ErrorContains(t, err, "/b/f,1")
}

func TestMultipleInputsRefused(t *testing.T) {
	in := twoSources()
	j := &mapreduce.Job{Name: "j", Input: in, Mapper: in.Mapper()}
	formats, mappers := conf.InputMultipleInputsDirFormats.Name, conf.InputMultipleInputsDirMappers.Name
	for name, c := range map[string]struct {
		kv   []string
		kind failure.Kind
	}{
		"no input":          {nil, failure.Usage},
		"no name":           {[]string{formats, "/a"}, failure.Config},
		"unknown source":    {[]string{formats, "/a;nobody"}, failure.Config},
		"unknown mapper":    {[]string{formats, "/a;people", mappers, "/a;nobody"}, failure.Config},
		"behind itself":     {[]string{formats, "/a;DelegatingInputFormat"}, failure.Config},
		"missing path":      {[]string{formats, "/none;people", mappers, "/none;people"}, failure.NotFound},
		"path without name": {[]string{formats, ";people"}, failure.Config},
		"no mapper":         {[]string{formats, "/a;people"}, failure.Config},
	} {
		_, err := runInputs(t, j, c.kv...)
		require.True(t, failure.Is(err, c.kind), "%s: %v", name, err)
	}
	bad := append(in, mapreduce.Source{Name: "numbers", Mapper: mapreduce.MapFunc(
		func(_ *mapreduce.Context, _ int64, _ string, out *mapreduce.Out[string, int64]) error { return nil })})
	_, err := runInputs(t, &mapreduce.Job{Name: "j", Input: bad, Mapper: bad.Mapper()}, formats, "/a;people", mappers,
		"/a;people")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "mapper of source numbers")
}
