package fs

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/faultfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

// only is a resolver that resolves every path to the same file system.
type only struct{ fs dfs.FileSystem }

func (o only) Resolve(name string) (dfs.FileSystem, string, error) {
	p, err := dfs.ParsePath(name)
	if !strings.HasPrefix(p.Path, "/") {
		p.Path = filepath.Join("/", p.Path)
	}
	return o.fs, p.Path, err
}

func store(t *testing.T, fs dfs.FileSystem, name, content string) {
	t.Helper()
	w, err := fs.Create(t.Context(), name, dfs.CreateOptions{})
	require.NoError(t, err)
	_, err = io.WriteString(w, content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func run(ctx context.Context, fs dfs.FileSystem, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(ctx, only{fs}, Settings{}, args, strings.NewReader("from stdin\n"), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTextDecompresses(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "unpacked\n")
	z.Close()
	fs := mem.New()
	store(t, fs, "/a.gz", zipped.String())
	store(t, fs, "/noname", zipped.String()) // recognized by its first bytes
	store(t, fs, "/plain", "x")
	code, out, errs := run(t.Context(), fs, "-text", "/a.gz", "/noname", "/plain")
	require.Zero(t, code, errs)
	require.Equal(t, "unpacked\nunpacked\nx", out)

	store(t, fs, "/bad.gz", zipped.String()[:20])
	code, _, errs = run(t.Context(), fs, "-text", "/bad.gz")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "text: `/bad.gz': ")
}

func TestHeadAndTailOfALongFile(t *testing.T) {
	fs := mem.New()
	store(t, fs, "/long", strings.Repeat("a", 3000)+strings.Repeat("b", 1000))
	_, out, _ := run(t.Context(), fs, "-head", "/long")
	require.Equal(t, strings.Repeat("a", 1024), out)
	_, out, _ = run(t.Context(), fs, "-tail", "/long")
	require.Equal(t, strings.Repeat("a", 24)+strings.Repeat("b", 1000), out)
}

func TestTailFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := mem.New()
		store(t, fs, "/log", "one\n")
		ctx, cancel := context.WithCancel(t.Context())
		var out, errs bytes.Buffer
		done := make(chan int)
		go func() {
			done <- Run(ctx, only{fs}, Settings{}, []string{"-tail", "-f", "-s", "1000", "/log"}, nil, &out, &errs)
		}()
		time.Sleep(500 * time.Millisecond)
		w, err := fs.Create(ctx, "/log", dfs.CreateOptions{Append: true})
		require.NoError(t, err)
		io.WriteString(w, "two\n")
		require.NoError(t, w.Close())
		time.Sleep(time.Second)
		cancel()
		require.Equal(t, exitInterrupted, <-done)
		require.Equal(t, "one\ntwo\n", out.String())
	})
}

func TestInterrupted(t *testing.T) {
	fs := mem.New()
	store(t, fs, "/f", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, _ := run(ctx, fs, "-cat", "/f")
	require.Equal(t, exitInterrupted, code)
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputThatNobodyReads(t *testing.T) {
	fs := mem.New()
	store(t, fs, "/f", strings.Repeat("x", 1<<20))
	var errs bytes.Buffer
	code := Run(t.Context(), only{fs}, Settings{}, []string{"-cat", "/f", "/f"}, nil, closedPipe{}, &errs)
	require.Equal(t, exitFailed, code)
	require.Equal(t, "cat: Unable to write to output stream.\n", errs.String())
}

// After any failure, a copy is complete or does not exist, and the file to replace is unchanged.
func TestCopyLeavesNothingHalf(t *testing.T) {
	faults := map[string]faultfs.Rule{
		"disk full":   {Ops: faultfs.Write, After: 1000, Do: faultfs.Fail, Kind: failure.DiskFull},
		"write fails": {Ops: faultfs.Write, Do: faultfs.Fail},
		"read fails":  {Ops: faultfs.Read, After: 5000, Do: faultfs.Fail},
		"close fails": {Ops: faultfs.Close, Do: faultfs.Fail},
		"rename":      {Ops: faultfs.Rename, Do: faultfs.Fail},
	}
	for name, rule := range faults {
		t.Run(name, func(t *testing.T) {
			inner := mem.New()
			store(t, inner, "/from", strings.Repeat("x", 100_000))
			store(t, inner, "/old", "old")
			fs := faultfs.New(inner, 1, rule)
			code, _, errs := run(t.Context(), fs, "-cp", "/from", "/to")
			require.Equal(t, 1, code)
			require.NotEmpty(t, errs)
			if rule.Ops != faultfs.Rename { // -f writes without a rename
				code, _, _ = run(t.Context(), fs, "-cp", "-f", "/from", "/old")
				require.Equal(t, 1, code)
			}
			_, out, _ := run(t.Context(), inner, "-ls", "-C", "/")
			require.Equal(t, "/from\n/old\n", out)
			_, out, _ = run(t.Context(), inner, "-cat", "/old")
			require.Equal(t, "old", out)
		})
	}
}

func TestLostAnswerOfRenameIsNoFailure(t *testing.T) {
	inner := mem.New()
	fs := faultfs.New(inner, 1, faultfs.Rule{Ops: faultfs.Rename, Do: faultfs.Lost})
	code, _, errs := run(t.Context(), fs, "-put", "-d", "-", "/direct")
	require.Zero(t, code, errs)
	code, _, errs = run(t.Context(), fs, "-put", "-", "/to")
	require.Zero(t, code, errs)
	_, out, _ := run(t.Context(), inner, "-cat", "/to")
	require.Equal(t, "from stdin\n", out)
}

// A source is removed only after its copy is complete.
func TestMoveFromLocalKeepsWhatWasNotCopied(t *testing.T) {
	inner := mem.New()
	store(t, inner, "/d/a", "a")
	store(t, inner, "/d/b", "b")
	fs := faultfs.New(inner, 1, faultfs.Rule{Ops: faultfs.Write, Path: "/to/b", Do: faultfs.Fail})
	code, _, _ := run(t.Context(), fs, "-moveFromLocal", "file:/d", "/to")
	require.Equal(t, 1, code)
	_, out, _ := run(t.Context(), inner, "-ls", "-C", "/d")
	require.Equal(t, "/d/a\n/d/b\n", out)
	fs.Heal()
	code, _, errs := run(t.Context(), fs, "-moveFromLocal", "-f", "file:/d/a", "/to/a")
	require.Zero(t, code, errs)
	_, out, _ = run(t.Context(), inner, "-ls", "-C", "/d")
	require.Equal(t, "/d/b\n", out)
}

func TestMoveBetweenDisks(t *testing.T) {
	const other = "/dev/shm"
	dir := t.TempDir()
	far, err := os.MkdirTemp(other, "howdah")
	if err != nil {
		t.Skip("no second file system: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(far) })
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "d/e"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "d/e/f"), []byte("content"), 0o600))
	t.Chdir(dir)
	require.Empty(t, command1(t, "-mv d "+far))
	require.NoDirExists(t, filepath.Join(dir, "d"))
	got, err := os.ReadFile(filepath.Join(far, "d/e/f"))
	require.NoError(t, err)
	require.Equal(t, "content", string(got))
	i, err := os.Stat(filepath.Join(far, "d/e/f"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), i.Mode().Perm())
}

// Local files are on this machine, even if paths without a scheme are on other storage.
func TestLocalIsThisMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("here", []byte("content"), 0o666))
	c := conf.New()
	c.Set("fs.defaultFS", "mem:/", "-D")
	store := mem.New()
	r, err := dfs.NewSet(c, map[string]dfs.Constructor{
		"file": local.Constructor(c),
		"mem":  func(string) (dfs.FileSystem, error) { return store, nil },
	})
	require.NoError(t, err)
	do := func(args ...string) string {
		var out, errs bytes.Buffer
		require.Zero(t, Run(t.Context(), r, Settings{}, args, nil, &out, &errs), errs.String())
		return out.String()
	}
	do("-put", "here", "/there")
	require.Equal(t, "content", do("-cat", "/there"))
	do("-get", "/there", "back")
	require.FileExists(t, "back")
	require.Equal(t, "mem:/there\n", strings.ReplaceAll(do("-ls", "-C", "mem:/there"), "mem:///", "mem:/"))
	many := 12345
	require.NoError(t, store.SetMeta(t.Context(), "/there", dfs.Meta{Replication: &many}))
	require.Regexp(t, `^-rw-r--r-- 12345 `, do("-ls", "/there"))
}

// The target of a link belongs to another tree. Commands that walk a tree do not follow links.
func TestLinksAreNotFollowedDownATree(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("d/sub", 0o777))
	require.NoError(t, os.Mkdir("outside", 0o755))
	require.NoError(t, os.WriteFile("outside/f", []byte("12345"), 0o644))
	require.NoError(t, os.Symlink("../outside", "d/link"))
	require.NoError(t, os.Symlink("..", "d/sub/loop"))
	require.Equal(t, "d/link\nd/sub\nd/sub/loop\n", command1(t, "-ls -R -C d"))
	require.Equal(t, "d\nd/link\nd/sub\nd/sub/loop\n", command1(t, "-find d"))
	require.Equal(t, "0  0  d\n", command1(t, "-du -s d"))
	require.Empty(t, command1(t, "-chmod -R 700 d"))
	i, err := os.Stat("outside")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), i.Mode().Perm())
	require.Equal(t, "Deleted d\n", command1(t, "-rm -r d"))
	require.FileExists(t, "outside/f")
}

func TestPermissionDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("closed", 0))
	require.NoError(t, os.WriteFile("secret", nil, 0))
	require.Equal(t, "! ls: `closed': Permission denied\n= 1\n", command1(t, "-ls closed"))
	require.Equal(t, "! cat: `secret': Permission denied\n= 1\n", command1(t, "-cat secret"))
	require.Equal(t, "= 1\n", command1(t, "-test -r secret"))
}

func TestNoCommand(t *testing.T) {
	code, out, errs := run(t.Context(), mem.New())
	require.Equal(t, exitUsage, code)
	require.Empty(t, out)
	require.Contains(t, errs, "[-ls ")
}

func TestHuman(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 1023: "1023", 1024: "1 K", 1536: "1.5 K", 4096: "4 K",
		270553174016: "252.0 G", 1<<20 - 1: "1.0 M",
		1 << 60: "1 E", 1<<63 - 1: "8.0 E"} {
		require.Equal(t, want, human(n))
	}
}

func TestDf(t *testing.T) {
	t.Chdir(t.TempDir())
	require.Regexp(t, `^Filesystem +Size +Used +Available  Use%\nfile:/// +\d+ +\d+ +\d+ +\d+%\n$`, command1(t, "-df"))
	require.Contains(t, command1(t, "-df -h ."), " G ")
	code, _, errs := run(t.Context(), mem.New(), "-df")
	require.Equal(t, 1, code)
	require.Equal(t, "df: `/': mem: does not report its size\n", errs)
}

// On a terminal, a copy succeeds even if its size is unknown, 0, or wrong.
func TestCopyOnATerminal(t *testing.T) {
	fs := mem.New()
	onTerminal := func(stdin string, args ...string) {
		var out, errs bytes.Buffer
		code := Run(t.Context(), only{fs}, Settings{Terminal: true}, args, strings.NewReader(stdin), &out, &errs)
		require.Zero(t, code, errs.String())
	}
	for _, text := range []string{"from stdin\n", ""} {
		onTerminal(text, "-put", "-f", "-", "/to")
		onTerminal("", "-cp", "-f", "/to", "/copy")
		_, got, _ := run(t.Context(), fs, "-cat", "/copy")
		require.Equal(t, text, got)
	}
	s := &shell{set: Settings{Terminal: true}, err: io.Discard}
	for _, size := range []int64{0, 2} {
		var out bytes.Buffer
		require.NoError(t, s.copyBytes(&out, strings.NewReader("grown"), size))
		require.Equal(t, "grown", out.String())
	}
}

// Failures that several copies report at the same time all count, and a report races with no reader.
func TestFailuresOfConcurrentCopies(t *testing.T) {
	inner := mem.New()
	args := []string{"-cp", "-t", "4"}
	for i := range 100 {
		name := fmt.Sprintf("/from/%d", i)
		store(t, inner, name, "x")
		args = append(args, name)
	}
	store(t, inner, "/to/there", "")
	fs := faultfs.New(inner, 1, faultfs.Rule{Ops: faultfs.Read, Do: faultfs.Fail})
	code, _, errs := run(t.Context(), fs, append(args, "/to")...)
	require.Equal(t, 1, code)
	require.Equal(t, 100, strings.Count(errs, "cp: "), errs)
}
