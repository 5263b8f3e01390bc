package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/internal/shellwords"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/process/processtest"
	"github.com/howdah/howdah/mrcluster/provision/provisiontest"
)

// TestContract tests the back end's contract with a shell script that stands in for commands such
// as ssh or kubectl.
func TestContract(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the script looks for processes in /proc")
	}
	script, err := filepath.Abs("testdata/nodes.sh")
	require.NoError(t, err)
	provisiontest.Run(t, provisiontest.Suite{
		Open: func(t *testing.T, o provision.Options) provision.Backend {
			c := conf.New()
			pool := filepath.Join(o.Dir, "pool")
			c.Set(conf.MRClusterCommandStart.Name, "sh '"+script+"' start '"+pool+"' {name} {dir} {agent}", "test")
			c.Set(conf.MRClusterCommandStop.Name, "sh '"+script+"' stop '"+pool+"' {name} {dir}", "test")
			c.Set(conf.MRClusterCommandList.Name, "sh '"+script+"' list '"+pool+"'", "test")
			c.Set("howdah.mrcluster.command.dir", pool+"/{name}", "test")
			cfg, err := FromConf(c)
			require.NoError(t, err)
			b, err := New(o, cfg)
			require.NoError(t, err)
			return b
		},
		Read: processtest.Read, Kill: processtest.Kill,
		Left: func(t *testing.T, n provision.Node) []string {
			left, err := filepath.Glob(n.Dir + "*")
			require.NoError(t, err)
			for _, pid := range proctree.Marked("STAND_IN=" + n.Dir) {
				left = append(left, fmt.Sprint("process ", pid))
			}
			return left
		},
	})
}

// TestThroughAShell checks that a shell, such as ssh's remote one, runs the agent's command
// unchanged.
func TestThroughAShell(t *testing.T) {
	agent := []string{"printf", "%s|", "a b", "it's", "$HOME", "", "*", `\"x`}
	words, err := fill([]string{"sh", "-c", "{agent:sh}"}, provision.Node{}, agent)
	require.NoError(t, err)
	out, err := Config{Timeout: time.Minute}.run(t.Context(), "start node", "n", words, nil)
	require.NoError(t, err)
	require.Equal(t, strings.Join(agent[2:], "|")+"|", out)
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                    nil,
		"  a  b\tc\n":         {"a", "b", "c"},
		`'a b' "c d" e\ f ''`: {"a b", "c d", "e f", ""},
		`a'b'"c"\"`:           {`abc"`},
		`'\' "\"" "'" '"'`:    {`\`, `"`, `'`, `"`},
		"$x * {name}":         {"$x", "*", "{name}"},
	} {
		got, err := split(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{"'", `"a`, `a\`} {
		_, err := split(line)
		require.Error(t, err, line)
	}
}

// TestQuote checks that split reverses quoting.
func TestQuote(t *testing.T) {
	require.NoError(t, quick.Check(func(words []string) bool {
		got, err := split(shellwords.Join(words))
		return err == nil && strings.Join(got, "\x00") == strings.Join(words, "\x00") && len(got) == len(words)
	}, nil))
}

func FuzzSplit(f *testing.F) {
	f.Add(`a 'b c' "d\"" e\ f`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := split(line)
		if err != nil {
			return
		}
		again, err := split(shellwords.Join(words))
		require.NoError(t, err)
		require.Equal(t, words, again)
	})
}

func TestFill(t *testing.T) {
	n := provision.Node{Name: "n1", Host: "h1", Dir: "/d"}
	agent := []string{"howdah", "it's", "{name}"}
	got, err := fill([]string{"ssh", "{host}", "cd {dir}; {agent:sh} &", "{agent}", "{other}"}, n, agent)
	require.NoError(t, err)
	require.Equal(t, []string{"ssh", "h1", `cd /d; howdah 'it'\''s' '{name}' &`, "howdah", "it's", "{name}", "{other}"},
		got)
	_, err = fill([]string{"x{agent}"}, n, agent)
	require.ErrorContains(t, err, "{agent:sh}")
}

// TestCommandsThatCannotBeFilled checks that FromConf rejects {agent} as part of a word.
func TestCommandsThatCannotBeFilled(t *testing.T) {
	for _, key := range []string{conf.MRClusterCommandStart.Name, conf.MRClusterCommandStop.Name} {
		c := conf.New()
		for _, k := range []string{conf.MRClusterCommandStart.Name, conf.MRClusterCommandStop.Name,
			conf.MRClusterCommandList.Name} {
			c.Set(k, "true", "test")
		}
		c.Set(key, `ssh {host} "run {agent}"`, "test")
		_, err := FromConf(c)
		require.True(t, failure.Is(err, failure.Config), err)
		require.ErrorContains(t, err, key)
		require.ErrorContains(t, err, "{agent:sh}")
	}
}

func TestParse(t *testing.T) {
	b := &Backend{cfg: Config{List: []string{"list"}, NodeHost: "{name}.pool", Dir: "/d/{name}"}}
	nodes, err := b.parse("b\n\na 10.0.0.1\nc - stopped\n d x running \n")
	require.NoError(t, err)
	require.Equal(t, []provision.Node{{Name: "a", Host: "10.0.0.1", Dir: "/d/a", Running: true},
		{Name: "b", Host: "b.pool", Dir: "/d/b", Running: true},
		{Name: "c", Host: "c.pool", Dir: "/d/c"}, {Name: "d", Host: "x", Dir: "/d/d", Running: true}}, nodes)
	for out, want := range map[string]string{"a\na\n": "line 2", "A": "line 1", "a b c": "not a node",
		"a b running x": "not a node"} {
		_, err := b.parse(out)
		require.True(t, failure.Is(err, failure.Corrupt), out)
		require.ErrorContains(t, err, want)
	}
}

// FuzzParse checks that parse returns nodes with valid, unique, sorted names for any output.
func FuzzParse(f *testing.F) {
	f.Add("b\na 10.0.0.1\nc - stopped\n")
	f.Add("a b c d")
	b := &Backend{cfg: Config{List: []string{"list"}, NodeHost: "{name}", Dir: "/d/{name}"}}
	f.Fuzz(func(t *testing.T, out string) {
		nodes, err := b.parse(out)
		if err != nil {
			require.True(t, failure.Is(err, failure.Corrupt))
		}
		last := ""
		for _, n := range nodes {
			require.NoError(t, provision.CheckName(n.Name))
			require.Greater(t, n.Name, last)
			last = n.Name
		}
	})
}

func TestSettings(t *testing.T) {
	c := conf.New()
	_, err := FromConf(c)
	require.True(t, failure.Is(err, failure.Config), "the commands are needed")
	for _, key := range []string{conf.MRClusterCommandStart.Name, conf.MRClusterCommandStop.Name,
		conf.MRClusterCommandList.Name} {
		c.Set(key, "x", "test")
	}
	cfg, err := FromConf(c)
	require.NoError(t, err)
	require.Equal(t, 2*time.Minute, cfg.Timeout)
	require.Equal(t, "{name}", cfg.NodeHost)
	c.Set(conf.MRClusterCommandStop.Name, "'", "test")
	_, err = FromConf(c)
	require.ErrorContains(t, err, conf.MRClusterCommandStop.Name)
	b, err := New(provision.Options{}, cfg)
	require.NoError(t, err)
	require.NotEmpty(t, b.Host())
}

// TestStoppedWhereItIsListed checks that Stop uses the listed address of a node. For machines in a
// cloud, only the list command reports the address.
func TestStoppedWhereItIsListed(t *testing.T) {
	dir := t.TempDir()
	c := conf.New()
	c.Set(conf.MRClusterCommandStart.Name, "true", "test")
	c.Set(conf.MRClusterCommandStop.Name, "sh -c 'echo {name} {host} > "+dir+"/stopped'", "test")
	c.Set(conf.MRClusterCommandList.Name, "echo n1 10.0.0.7 running", "test")
	cfg, err := FromConf(c)
	require.NoError(t, err)
	b, err := New(provision.Options{}, cfg)
	require.NoError(t, err)
	for name, want := range map[string]string{"n1": "n1 10.0.0.7\n", "n2": "n2 n2\n"} {
		require.NoError(t, b.Stop(t.Context(), name))
		got, err := os.ReadFile(filepath.Join(dir, "stopped"))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}
