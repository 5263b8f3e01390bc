package streaming

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestSplitCommand(t *testing.T) {
	for command, want := range map[string][]string{
		"":                       nil,
		"  ":                     nil,
		"cat":                    {"cat"},
		" cat  -n ":              {"cat", "-n"},
		"sh -c 'a b  c'":         {"sh", "-c", "a b  c"},
		`awk "{print \$1}"`:      {"awk", `{print \$1}`},
		`a 'it"s' "it's"`:        {"a", `it"s`, "it's"},
		"a'b c'd":                {"a", "b c", "d"}, // a quote ends the preceding word
		"a '' b":                 {"a", "b"},        // no empty words
		"a 'open b":              {"a", "open b"},
		"tab\tis no blank":       {"tab\tis", "no", "blank"},
		`back\slash \n`:          {`back\slash`, `\n`},
		"grüße 'und küsse'  bye": {"grüße", "und küsse", "bye"},
	} {
		require.Equal(t, want, splitCommand(command), "%q", command)
	}
}

func TestNeedsShell(t *testing.T) {
	for command, want := range map[string]bool{"cat | sort": true, "a && b": true, "a 2>/dev/null": true, "a ; b": true,
		"sh -c 'cat | sort'": false, `awk -F "|" x`: false, "tr . 2": false, "a b|c": false} {
		require.Equal(t, want, needsShell(command), command)
	}
}

func TestFindProgram(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	put := func(dir, name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), mode))
		return path
	}
	t.Setenv("PATH", second)
	a := put(first, "a", 0o644)
	put(second, "a", 0o755)
	got, err := findProgram("a", first)
	require.NoError(t, err)
	require.Equal(t, a, got, "the working directory comes before PATH")
	info, err := os.Stat(a)
	require.NoError(t, err)
	require.EqualValues(t, 0o755, info.Mode().Perm(), "and what lies there is made executable")
	put(first, "sub/b", 0o644)
	_, err = findProgram("sub/b", first)
	require.NoError(t, err)
	put(second, "c", 0o644)
	_, err = findProgram("c", first)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = findProgram("d", first)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	_, err = findProgram("/no/such/thing", first)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
}

func TestCheckCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.py")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	check := func(here bool, args ...string) error {
		o, err := Parse(append([]string{"-input", "i", "-output", "o"}, args...))
		require.NoError(t, err)
		c := conf.New()
		require.NoError(t, o.Configure(c, os.Stderr))
		return o.CheckCommands(c, here)
	}
	require.NoError(t, check(true, "-mapper", "cat", "-reducer", "cat"))
	require.ErrorContains(t, check(true, "-mapper", "nosuchprogram"), "-files nosuchprogram")
	require.NoError(t, check(false, "-mapper", "nosuchprogram"), "the nodes may have it")
	require.NoError(t, check(true, "-mapper", "m.py x", "-file", file))
	require.NoError(t, check(true, "-mapper", "dir/bin/m", "-cacheArchive", "hdfs://h/a.zip#dir"))
	require.ErrorContains(t, check(true, "-mapper", "com.example.MyMapper"), "howdah does not run Java classes")
	require.ErrorContains(t, check(true, "-mapper", file), "not executable")
	require.ErrorContains(t, check(true, "-mapper", "''"), "blank")
}

func TestVariable(t *testing.T) {
	require.Equal(t, "mapreduce_map_input_file", variable("mapreduce.map.input.file"))
	require.Equal(t, "a_b__c9__", variable("a-b..c9\xc3\xbc"))
}
