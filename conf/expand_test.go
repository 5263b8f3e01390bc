package conf

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func TestExpand(t *testing.T) {
	t.Setenv("HOWDAH_TEST_SET", "set")
	t.Setenv("HOWDAH_TEST_EMPTY", "")
	os.Unsetenv("HOWDAH_TEST_UNSET")
	c := New()
	c.Set("a", "A", "test")
	c.Set("b", "${a}${a}", "test")
	c.Set("which", "a", "test")
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for in, want := range map[string]string{
		"plain":                                 "plain",
		"${a}":                                  "A",
		"x${a}y${b}z":                           "xAyAAz",
		"${${which}}":                           "A",
		"${nobody}":                             "${nobody}",
		"${}":                                   "${}",
		"${a":                                   "${a",
		"$a {a} $":                              "$a {a} $",
		"${mapred.reduce.tasks}":                "1",
		"${user.name}":                          passwd.Me(),
		"${user.home}/x":                        home + "/x",
		"${java.io.tmpdir}":                     os.TempDir(),
		"${hadoop.tmp.dir}":                     "/tmp/hadoop-" + passwd.Me(),
		"${env.HOWDAH_TEST_SET}":                "set",
		"${env.HOWDAH_TEST_SET:-x}":             "set",
		"${env.HOWDAH_TEST_EMPTY:-x}":           "x",
		"${env.HOWDAH_TEST_EMPTY-x}":            "",
		"${env.HOWDAH_TEST_UNSET-x}":            "x",
		"${env.HOWDAH_TEST_UNSET:-${a}}":        "A",
		"${env.HOWDAH_TEST_UNSET:-a:b-c}":       "a:b-c",
		"${env.HOWDAH_TEST_UNSET}":              "${env.HOWDAH_TEST_UNSET}",
		"${a}${a}${a}${a}${a}${a}${a}${a}${a}b": "AAAAAAAAAb",
	} {
		c.Set("x", in, "test")
		require.Equal(t, want, c.Get("x"), in)
		require.NoError(t, c.Check(), in)
	}
}

// TestWritten checks that the value of a set key appears nowhere else, and that everything that depends
// on the machine is expanded.
func TestWritten(t *testing.T) {
	t.Setenv("HOWDAH_TEST_SET", "set ${secret}")
	c := New()
	for key, value := range map[string]string{
		"secret":              "S",
		"mapreduce.job.name":  "n",
		"which":               "secret",
		"direct":              "x${secret}",
		"through":             "${direct}",
		"nested":              "${${which}}",
		"old":                 "${mapred.job.name}",
		"env":                 "${env.HOWDAH_TEST_SET} ${env.HOWDAH_TEST_UNSET:-${secret}} ${user.name}",
		"default":             "${hadoop.tmp.dir} ${nobody}",
		"circle":              "${circle}",
		"io.sort.mb.relative": "${a.${which}}",
	} {
		c.Set(key, value, "test")
	}
	got := map[string]string{}
	for _, p := range c.Written() {
		got[p.Name] = p.Value
	}
	require.Equal(t, map[string]string{
		"secret":              "S",
		"mapreduce.job.name":  "n",
		"which":               "secret",
		"direct":              "x${secret}",
		"through":             "${direct}",
		"nested":              "${${which}}",
		"old":                 "${mapred.job.name}",
		"env":                 "set ${secret} ${secret} " + passwd.Me(),
		"default":             "/tmp/hadoop-" + passwd.Me() + " ${nobody}",
		"circle":              "${circle}",
		"io.sort.mb.relative": "${a.${which}}",
	}, got)
	var xml bytes.Buffer
	require.NoError(t, c.WriteJob(&xml))
	back := New()
	require.NoError(t, back.LoadXML(&xml, "job.xml"))
	for key := range got {
		require.Equal(t, c.Get(key), back.Get(key), key)
	}
}

func TestExpandRefuses(t *testing.T) {
	endless := New()
	for i := range 25 {
		endless.Set(fmt.Sprintf("k%d", i), fmt.Sprintf("${k%d}", i+1), "test")
	}
	endless.Set("k25", "end", "test")
	circle := New()
	circle.Set("k0", "${k1}", "site.xml")
	circle.Set("k1", "x${k2}", "site.xml")
	circle.Set("k2", "${k0}", "site.xml")
	self := New()
	self.Set("k0", "${k0}", "-D")
	for name, c := range map[string]*Config{"endless": endless, "circle": circle, "self": self} {
		err := c.Check()
		require.Equal(t, failure.Config, failure.KindOf(err), name)
		_, err = c.Int("k0", 0, 0, 1)
		require.Equal(t, failure.Config, failure.KindOf(err), name)
		require.ErrorContains(t, err, "k0")
		raw, _, _ := c.raw("k0")
		require.Equal(t, raw, c.Get("k0"), "as it was written")
	}
	require.ErrorContains(t, circle.Check(), "site.xml")
}

// TestExpandIsBounded checks that the expansion of values that double at each step stops early.
func TestExpandIsBounded(t *testing.T) {
	c := New()
	c.Set("l0", "ha", "test")
	for i := range 30 {
		c.Set(fmt.Sprintf("l%d", i+1), fmt.Sprintf("${l%d}${l%d}", i, i), "test")
	}
	require.Error(t, c.Check())
}

// TestRestrict checks that settings of another user cannot read this process's environment.
func TestRestrict(t *testing.T) {
	t.Setenv("HOWDAH_TEST_SECRET", "hunter2")
	c := New()
	c.Restrict()
	c.Set("a", "${env.HOWDAH_TEST_SECRET} ${env.NONE:-b} ${b}", "test")
	c.Set("b", "c", "test")
	require.Equal(t, "${env.HOWDAH_TEST_SECRET} ${env.NONE:-b} c", c.Clone().Get("a"))
	require.NoError(t, c.Check())
}
