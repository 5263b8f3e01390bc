package proctree

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// family is a pipe whose write end the processes of a tree hold.
type family struct {
	pipe *os.File
	in   *bufio.Reader
	w    *os.File
}

func newFamily(t *testing.T) *family {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return &family{r, bufio.NewReader(r), w}
}

func (f *family) awaitUp(t *testing.T) {
	f.w.Close()
	require.NoError(t, f.pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	line, err := f.in.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "up\n", line)
}

func (f *family) requireGone(t *testing.T) {
	require.NoError(t, f.pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	rest, err := io.ReadAll(f.in)
	require.NoError(t, err, "a process of the tree is alive")
	require.Empty(t, rest)
}

// start starts a tree in the given mode. It skips the test if the kernel does not permit the mode.
func start(t *testing.T, s *Spawner, mode Mode, spec Spec) *Tree {
	tree, err := s.Start(spec)
	require.NoError(t, err)
	if tree.Mode() != mode {
		_ = tree.Kill()
		_, _ = tree.Wait()
		t.Skipf("this kernel gives no %s here", mode)
	}
	return tree
}

func eachMode(t *testing.T, f func(t *testing.T, s *Spawner, mode Mode)) {
	for mode := Namespace; mode < numModes; mode++ {
		t.Run(mode.String(), func(t *testing.T) {
			s := NewSpawner(mode)
			defer s.Close()
			f(t, s, mode)
		})
	}
}

func TestKillEndsDescendantsInOtherSessions(t *testing.T) {
	eachMode(t, func(t *testing.T, s *Spawner, mode Mode) {
		f := newFamily(t)
		tree := start(t, s, mode, familySpec(f.w, "stay"))
		f.awaitUp(t)
		require.NoError(t, tree.Kill())
		exit, err := tree.Wait()
		require.NoError(t, err)
		require.Equal(t, syscall.SIGKILL, exit.Signal)
		f.requireGone(t)
		require.NoError(t, tree.Kill(), "a tree that is gone can be killed again")
		require.True(t, tree.gone, "its ID may belong to another process now")
	})
}

func TestNothingStaysBehindAProcessThatLeaves(t *testing.T) {
	eachMode(t, func(t *testing.T, s *Spawner, mode Mode) {
		f := newFamily(t)
		tree := start(t, s, mode, familySpec(f.w, "leave"))
		f.w.Close()
		exit, err := tree.Wait()
		require.NoError(t, err)
		require.Equal(t, 0, exit.Code)
		require.NoError(t, f.pipe.SetReadDeadline(time.Now().Add(time.Minute)))
		_, err = io.ReadAll(f.in)
		require.NoError(t, err, "the descendant outlived the process")
	})
}

// In a PID namespace no process survives kill -9 of the owner.
func TestNothingSurvivesTheOwner(t *testing.T) {
	for mode := Namespace; mode < Group; mode++ {
		t.Run(mode.String(), func(t *testing.T) {
			s := NewSpawner(mode)
			defer s.Close()
			probe := start(t, s, mode, spec(nil, "quit", "0"))
			_, err := probe.Wait()
			require.NoError(t, err)

			f := newFamily(t)
			owner := helper("owner", strconv.Itoa(int(mode)))
			owner.ExtraFiles = []*os.File{f.w}
			require.NoError(t, owner.Start())
			f.awaitUp(t)
			require.NoError(t, owner.Process.Kill())
			_ = owner.Wait()
			f.requireGone(t)
		})
	}
}

// Without root the kernel rejects the first mode. The Spawner does not retry a rejected mode.
func TestFallBackWithoutRoot(t *testing.T) {
	f := newFamily(t)
	c := helper("fallback")
	c.ExtraFiles = []*os.File{f.w}
	if os.Getuid() == 0 {
		dir, err := os.MkdirTemp("", "proctree")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		require.NoError(t, os.Chmod(dir, 0o755))
		b, err := os.ReadFile(c.Path)
		require.NoError(t, err)
		c.Path = dir + "/helper"
		require.NoError(t, os.WriteFile(c.Path, b, 0o755))
		c.Args[0], c.Dir = c.Path, dir
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	require.NoError(t, c.Run())
	f.w.Close()
	got, err := io.ReadAll(f.in)
	require.NoError(t, err)
	require.Contains(t, []string{
		strings.Repeat("user and pid namespace then user and pid namespace\n", 2),
		strings.Repeat("process group then process group\n", 2),
	}, string(got))
}

func TestCloseKillsTrees(t *testing.T) {
	s := NewSpawner(Namespace)
	f := newFamily(t)
	tree, err := s.Start(spec(f.w, "sleep"))
	require.NoError(t, err)
	f.awaitUp(t)
	s.Close()
	s.Close()
	_, err = tree.Wait()
	require.NoError(t, err)
	f.requireGone(t)
	_, err = s.Start(spec(nil, "quit", "0"))
	require.True(t, failure.Is(err, failure.Killed), err)
}

func TestSignalReachesTheProcess(t *testing.T) {
	eachMode(t, func(t *testing.T, s *Spawner, mode Mode) {
		f := newFamily(t)
		tree := start(t, s, mode, spec(f.w, "sleep"))
		f.awaitUp(t)
		require.NoError(t, tree.Signal(syscall.SIGTERM))
		exit, err := tree.Wait()
		require.NoError(t, err)
		require.True(t, exit.Signal == syscall.SIGTERM || exit.Code == 2, "%+v", exit)
	})
}

func TestExit(t *testing.T) {
	s := NewSpawner(Namespace)
	defer s.Close()
	tree, err := s.Start(spec(nil, "quit", "7"))
	require.NoError(t, err)
	exit, err := tree.Wait()
	require.NoError(t, err)
	require.Equal(t, 7, exit.Code)
	require.Positive(t, exit.CPU)
	require.Positive(t, exit.MaxRSS)
	require.Equal(t, "Task process exit with nonzero status of 7.", exit.String())
	require.Equal(t, "Task process was ended by signal 9 (killed).", Exit{Code: -1, Signal: 9}.String())
	require.Equal(t, "Task process exited.", Exit{}.String())
}

func TestStartErrors(t *testing.T) { eachMode(t, startErrors) }

func startErrors(t *testing.T, s *Spawner, _ Mode) {
	_, err := s.Start(Spec{Path: "/nonexistent/program", Args: []string{"x"}})
	require.True(t, failure.Is(err, failure.NotFound), err)

	plain := t.TempDir() + "/plain"
	require.NoError(t, os.WriteFile(plain, []byte("no program"), 0o644))
	before := s.Mode()
	_, err = s.Start(Spec{Path: plain, Args: []string{"x"}})
	require.True(t, failure.Is(err, failure.Permission), err)
	require.Equal(t, before, s.Mode(), "a bad file does not cause a fallback")
}

func BenchmarkStartAndExit(b *testing.B) {
	for mode := Namespace; mode < numModes; mode++ {
		b.Run(mode.String(), func(b *testing.B) {
			s := NewSpawner(mode)
			defer s.Close()
			var cpu time.Duration
			for b.Loop() {
				tree, err := s.Start(spec(nil, "quit", "0"))
				require.NoError(b, err)
				exit, err := tree.Wait()
				require.NoError(b, err)
				cpu += exit.CPU
			}
			b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "child-cpu-us/op")
		})
	}
}
