package procfs

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const stat = "42 (a) b) c) S 7 42 42 0 -1 0 1 2 3 4 100 20 3000 400 20 0 1 0 5 6 25 7"

func TestParse(t *testing.T) {
	p, ok := parse([]byte(stat))
	require.True(t, ok)
	require.Equal(t, Process{Parent: 7, Ticks: 3520, Memory: 25 * int64(os.Getpagesize())}, p)
	for _, bad := range []string{"", "42 (x", "42 (x) S 7",
		"42 (x) S y 42 42 0 -1 0 1 2 3 4 100 20 3000 400 20 0 1 0 5 6 25",
		"42 (x) S 7 42 42 0 -1 0 1 2 3 4 a 20 3000 400 20 0 1 0 5 6 25",
		"42 (x) S 7 42 42 0 -1 0 1 2 3 4 1 20 3000 400 20 0 1 0 5 6 x"} {
		_, ok := parse([]byte(bad))
		require.False(t, ok, bad)
	}
}

func TestTree(t *testing.T) {
	table := Table{1: {}, 5: {Parent: 1}, 6: {Parent: 5}, 7: {Parent: 6}, 8: {Parent: 8}}
	require.True(t, table.below(7, 5))
	require.False(t, table.below(5, 7))
	require.False(t, table.below(8, 5), "a ring ends")
	require.Equal(t, Table{5: {Parent: 1}, 6: {Parent: 5}, 7: {Parent: 6}}, table.tree(5))
}

func TestThisProcess(t *testing.T) {
	table, err := readAll()
	require.NoError(t, err)
	me := table[os.Getpid()]
	require.Equal(t, os.Getppid(), me.Parent)
	require.Positive(t, me.Memory)
	require.Contains(t, table.tree(os.Getppid()), os.Getpid())
}

// ReadTree finds the same processes as a search of all processes.
func TestReadTree(t *testing.T) {
	c := exec.Command("sh", "-c", "sleep 1000 & echo $!; wait")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	}()
	var grandchild int
	_, err = fmt.Fscan(out, &grandchild)
	require.NoError(t, err)
	tree, err := ReadTree(os.Getpid())
	require.NoError(t, err)
	all, err := readAll()
	require.NoError(t, err)
	require.ElementsMatch(t, slices.Collect(maps.Keys(all.tree(os.Getpid()))), slices.Collect(maps.Keys(tree)))
	require.Equal(t, c.Process.Pid, tree[grandchild].Parent)
	require.Equal(t, os.Getpid(), tree[c.Process.Pid].Parent)
	tree, err = ReadTree(-1)
	require.NoError(t, err)
	require.Empty(t, tree)
}

func TestIO(t *testing.T) {
	read, written := parseIO("rchar: 5\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n")
	require.EqualValues(t, []int64{4096, 8192}, []int64{read, written})
	read, written = IO(-1)
	require.Zero(t, read+written)
}

func TestMemoryTotal(t *testing.T) {
	require.EqualValues(t, 2048, parseMemory("MemTotal:  2 kB\nMemFree: 1 kB\n"))
	require.Zero(t, parseMemory("MemTotal: -2 kB\nMemTotal: x kB\n"))
	require.Positive(t, MemoryTotal())
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(stat))
	f.Add([]byte("read_bytes: 4096\nwrite_bytes: -1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = parse(b)
		if r, w := parseIO(string(b)); r < 0 || w < 0 {
			t.Fatal(r, w)
		}
	})
}
