package account

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestLook(t *testing.T) {
	root, err := Look("root")
	require.NoError(t, err)
	require.Zero(t, root.UID)
	again, err := Look("root")
	require.NoError(t, err)
	require.Same(t, root, again, "lookups are cached")
	for _, name := range []string{"no-such-user", "", "0", "-h", "root:x"} {
		_, err := Look(name)
		require.True(t, failure.Is(err, failure.Permission), "%q: %v", name, err)
		require.ErrorContains(t, err, "create the account")
	}
}

func TestParse(t *testing.T) {
	a, err := parse("u", "1000", "1001", []string{"1001", "27"})
	require.NoError(t, err)
	require.Equal(t, &Account{Name: "u", UID: 1000, GID: 1001, Groups: []uint32{1001, 27}}, a)
	for _, bad := range [][]string{{"-1", "1", "1"}, {"1", "x", "1"}, {"1", "1", ""}, {"4294967295", "1", "1"},
		{"4294967296", "1", "1"}} {
		_, err := parse("u", bad[0], bad[1], bad[2:])
		require.Error(t, err, "%v", bad)
	}
}

// nobody returns an account of this machine and a directory that belongs to it. It skips the test
// unless this process can act as the account.
func nobody(t testing.TB) (a *Account, dir string) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root on Linux can act as another user")
	}
	a, err := Look("nobody")
	require.NoError(t, err)
	dir = t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, os.Chown(dir, a.UID, a.GID))
	return a, dir
}

func ids(t *testing.T, name string) (uid, gid int) {
	i, err := os.Stat(name)
	require.NoError(t, err)
	s := i.Sys().(*syscall.Stat_t)
	return int(s.Uid), int(s.Gid)
}

func TestAs(t *testing.T) {
	a, dir := nobody(t)
	secret, name := filepath.Join(dir, "secret"), filepath.Join(dir, "new")
	require.NoError(t, os.WriteFile(secret, nil, 0o600))
	require.NoError(t, As("nobody", func() error { return os.WriteFile(name, nil, 0o666) }))
	uid, gid := ids(t, name)
	require.Equal(t, [2]int{a.UID, a.GID}, [2]int{uid, gid})
	require.ErrorIs(t, As("nobody", func() error { _, err := os.ReadFile(secret); return err }), os.ErrPermission)
	require.NoError(t, os.WriteFile(secret, nil, 0o600), "this goroutine is root again")
	uid, _ = ids(t, secret)
	require.Zero(t, uid)
	boom := errors.New("boom")
	require.ErrorIs(t, As("nobody", func() error { return boom }), boom)
	require.Panics(t, func() { _ = As("nobody", func() error { panic("boom") }) })
	_, err := os.ReadFile(secret)
	require.NoError(t, err, "root again after a panic")
}

// Users without an account never get root's permissions.
func TestAsUnknown(t *testing.T) {
	nobody(t)
	err := As("no-such-user", func() error { t.Error("it ran"); return nil })
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.NoError(t, As("root", func() error { return nil }), "root's own files")
}

// A user's groups count, and those of root do not.
func TestAsGroups(t *testing.T) {
	_, dir := nobody(t)
	own, err := user.LookupGroup("daemon")
	require.NoError(t, err)
	group, err := strconv.Atoi(own.Gid)
	require.NoError(t, err)
	shared := filepath.Join(dir, "shared")
	require.NoError(t, os.WriteFile(shared, nil, 0o640))
	require.NoError(t, os.Chown(shared, 0, group))
	a := &Account{Name: "x", UID: 65533, GID: 65533, Groups: []uint32{65533}}
	read := func() error { _, err := os.ReadFile(shared); return err }
	require.ErrorIs(t, a.do(read), os.ErrPermission)
	a.Groups = append(a.Groups, uint32(group))
	require.NoError(t, a.do(read))
	a.Groups = nil
	require.ErrorIs(t, a.do(read), os.ErrPermission)
}

// A thread that acts as a user has none of root's rights in /proc. The target of cwd is open to
// everybody, but its path is not.
func TestAsInProc(t *testing.T) {
	_, dir := nobody(t)
	if runtime.GOOS != "linux" {
		t.Skip("/proc is Linux's")
	}
	hidden := filepath.Join(dir, "hidden", "open")
	require.NoError(t, os.MkdirAll(hidden, 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(hidden), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(hidden, "file"), nil, 0o644))
	sleep := exec.Command("sleep", "1000")
	sleep.Dir = hidden
	require.NoError(t, sleep.Start())
	t.Cleanup(func() { _ = sleep.Process.Kill(); _ = sleep.Wait() })
	proc := filepath.Join("/proc", strconv.Itoa(sleep.Process.Pid))
	for _, name := range []string{proc + "/cwd/file", proc + "/root/etc/passwd", proc + "/maps", "/proc/self/environ",
		"/proc/sys/net/ipv4/tcp_fastopen_key"} {
		read := func() error { _, err := os.ReadFile(name); return err }
		if err := read(); errors.Is(err, os.ErrNotExist) {
			continue // this kernel lacks the file
		}
		require.NoError(t, read(), name)
		require.ErrorIs(t, As("nobody", read), os.ErrPermission, name)
	}
}

// While some goroutines act as a user, all others stay root.
func TestAsOnlyOneThread(t *testing.T) {
	_, dir := nobody(t)
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, nil, 0o600))
	var all sync.WaitGroup
	defer all.Wait()
	for g := range 16 {
		all.Go(func() {
			for range 300 {
				read := func() error { runtime.Gosched(); _, err := os.ReadFile(secret); return err }
				err, want := read(), error(nil)
				if g%2 == 0 {
					err, want = As("nobody", read), os.ErrPermission
				}
				if !errors.Is(err, want) {
					t.Errorf("goroutine %d: %v, want %v", g, err, want)
					return
				}
			}
		})
	}
}

func BenchmarkAs(b *testing.B) {
	nobody(b)
	for b.Loop() {
		if err := As("nobody", func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMember(t *testing.T) {
	root, err := user.Lookup("root")
	require.NoError(t, err)
	own, err := user.LookupGroupId(root.Gid)
	require.NoError(t, err)
	require.True(t, Member("root", []string{"no-such-group", own.Name}))
	require.True(t, Member("root", []string{own.Name}), "from the cache")
	require.False(t, Member("root", []string{"no-such-group", "", "-h"}))
	require.False(t, Member("root", nil))
	require.False(t, Member("no-such-user", []string{own.Name}))
}
