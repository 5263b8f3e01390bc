package join_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/join"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

var files = map[string]string{
	"/a/0": "1\ta1\n2\ta2\n2\ta22\n4\ta4\n", "/a/1": "7\ta7\n",
	"/b/0": "2\tb2\n2\tb22\n3\tb3\n4\tb4\n", "/b/1": "",
	"/c/0": "0\tc0\n2\tc2\n4\tc4\n", "/c/1": "7\tc7\n8\tc8\n",
	"/one": "1\tx\n", "/unsorted/0": "2\tx\n1\ty\n", "/unsorted/1": "",
}

func run(t *testing.T, expr string, kv ...string) (string, error) {
	t.Helper()
	r := mrtest.NewRunner()
	for name, text := range files {
		require.NoError(t, r.WriteFile(name, text))
	}
	c := r.Conf().Clone()
	c.Set(conf.JoinExpr.Name, expr, "test")
	c.Set(conf.JobReduces.Name, "0", "test")
	for i := 0; i < len(kv); i += 2 {
		c.Set(kv[i], kv[i+1], "test")
	}
	mapreduce.SetOutputPath(c, "/out")
	if _, err := r.Run(context.Background(), &mapreduce.Job{Name: "join", Input: join.Input{}}, c); err != nil {
		return "", err
	}
	out, err := r.Output("/out")
	require.NoError(t, err)
	return strings.NewReplacer("\n", " ", "\t", "=").Replace(strings.TrimSpace(out)), nil
}

const kv = "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat"

func TestOperations(t *testing.T) {
	for expr, want := range map[string]string{
		join.Compose("inner", kv, "/a", "/b"):       "2=[a2,b2] 2=[a2,b22] 2=[a22,b2] 2=[a22,b22] 4=[a4,b4]",
		join.Compose("inner", kv, "/a", "/b", "/c"): "2=[a2,b2,c2] 2=[a2,b22,c2] 2=[a22,b2,c2] 2=[a22,b22,c2] 4=[a4,b4,c4]",
		join.Compose("outer", kv, "/a", "/b"): "1=[a1,] 2=[a2,b2] 2=[a2,b22] 2=[a22,b2] 2=[a22,b22] 3=[,b3] " +
			"4=[a4,b4] 7=[a7,]",
		join.Compose("override", kv, "/a", "/b"): "1=a1 2=b2 2=b22 3=b3 4=b4 7=a7",
		join.Compose("inner", kv, "/a"):          "1=[a1] 2=[a2] 2=[a22] 4=[a4] 7=[a7]",
		`tbl(KeyValueTextInputFormat,"/c")`:      "0=c0 2=c2 4=c4 7=c7 8=c8",
		`inner( tbl(KeyValueTextInputFormat, "/c"), outer(tbl(KeyValueTextInputFormat,"/a"),tbl(KeyValueTextInputFormat,"/` +
			`b")))`: "2=[c2,[a2,b2]] 2=[c2,[a2,b22]] 2=[c2,[a22,b2]] 2=[c2,[a22,b22]] 4=[c4,[a4,b4]] 7=[c7,[a7,]]",
		`override(tbl(KeyValueTextInputFormat,"/c"),override(tbl(KeyValueTextInputFormat,"/a"),tbl(KeyValueTextInputFormat,` +
			`"/b")))`: "0=c0 1=a1 2=b2 2=b22 3=b3 4=b4 7=a7 8=c8",
	} {
		got, err := run(t, expr)
		require.NoError(t, err, expr)
		// The output order depends on the sizes of the two splits.
		require.ElementsMatch(t, strings.Fields(want), strings.Fields(got), expr)
	}
}

func TestOrderByClass(t *testing.T) {
	got, err := run(t, join.Compose("inner", kv, "/a", "/b"), conf.JoinKeyComparator.Name, "KeyFieldBasedComparator",
		conf.PartitionKeyComparatorOptions.Name, "-n")
	require.NoError(t, err)
	require.Equal(t, "2=[a2,b2] 2=[a2,b22] 2=[a22,b2] 2=[a22,b22] 4=[a4,b4]", got)
}

func TestRefused(t *testing.T) {
	for expr, c := range map[string]struct {
		kind failure.Kind
		why  string
	}{
		"":                                           {failure.Config, "Expression is null"},
		"inner":                                      {failure.Config, `want "("`},
		"left(tbl(TextInputFormat,\"/a\"))":          {failure.Config, `unknown operation "left"`},
		"inner(tbl(Mine,\"/a\"))":                    {failure.Config, "unknown input format"},
		"inner(tbl(TextInputFormat,/a))":             {failure.Config, `,"PATH"`},
		"inner(tbl(TextInputFormat,\"/a)":            {failure.Config, "a path"},
		"tbl(TextInputFormat,\"/a\")x":               {failure.Config, "the end"},
		"inner(tbl(TextInputFormat,\"/a\");":         {failure.Config, `"," or ")"`},
		strings.Repeat("inner(", 20):                 {failure.Config, "nested"},
		join.Compose("inner", kv, "/a", "/one"):      {failure.Usage, "Inconsistent split cardinality from child 1 (2/1)"},
		join.Compose("inner", kv, "/a", "/none"):     {failure.NotFound, "/none"},
		join.Compose("inner", kv, "/a", "/unsorted"): {failure.User, "not sorted"},
		`inner(tbl(TextInputFormat,"/a"),tbl(KeyValueTextInputFormat,"/b"))`: {failure.Config,
			"different types"},
		`override(tbl(KeyValueTextInputFormat,"/a"),` + join.Compose("inner", kv, "/a", "/b") + `)`: {failure.Config,
			"override each other"},
	} {
		_, err := run(t, expr)
		require.True(t, failure.Is(err, c.kind), "%s: %v", expr, err)
		require.ErrorContains(t, err, c.why, expr)
	}
}

func FuzzTuple(f *testing.F) {
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		join.Tuple.AppendText(nil, b)
		join.Tuple.Prefix(b)
		if vals, err := join.Values(b); err == nil {
			require.Less(t, len(vals), 64)
		}
	})
}

func FuzzExpression(f *testing.F) {
	f.Add(join.Compose("inner", kv, "/a", "/b"))
	f.Fuzz(func(t *testing.T, expr string) {
		c := mrtest.NewRunner().Conf()
		c.Set(conf.JoinExpr.Name, expr, "fuzz")
		join.Input{}.Types(c)
	})
}

func Example() {
	r := mrtest.NewRunner()
	for name, text := range map[string]string{"/users": "7\tEve\n8\tBob\n", "/visits": "7\tMonday\n7\tFriday\n"} {
		if err := r.WriteFile(name, text); err != nil {
			fmt.Println(err)
		}
	}
	c := r.Conf().Clone()
	c.Set(conf.JoinExpr.Name, join.Compose("inner", "KeyValueTextInputFormat", "/users", "/visits"), "example")
	mapreduce.SetOutputPath(c, "/out")
	_, err := r.Run(context.Background(), &mapreduce.Job{Name: "join", Input: join.Input{}}, c)
	out, _ := r.Output("/out")
	fmt.Print(out, err)
	// Output:
	// 7	[Eve,Monday]
	// 7	[Eve,Friday]
	// <nil>
}
