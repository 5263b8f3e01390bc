package daemon

import (
	"context"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	files "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/job/failure"
)

// nobody returns an account of this computer.
func nobody(t *testing.T) *account.Account {
	needsRoot(t)
	a, err := account.Look("nobody")
	require.NoError(t, err)
	return a
}

// reads tries to read a file with the rights of a user.
func reads(user, name string) error {
	return account.As(user, func() error {
		_, err := os.ReadFile(name)
		return err
	})
}

// is checks the owner and the permissions of a file.
func is(t *testing.T, name string, uid, gid int, mode os.FileMode) {
	t.Helper()
	info, err := os.Lstat(name)
	require.NoError(t, err)
	s := info.Sys().(*syscall.Stat_t)
	require.Equal(t, []any{uid, gid, mode}, []any{int(s.Uid), int(s.Gid), info.Mode().Perm()}, name)
}

// openTempDir returns a temporary directory that every user can enter.
func openTempDir(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	return dir
}

// jobOf returns a localized job whose tasks run as an account, and its daemon.
func jobOf(t *testing.T, a *account.Account) (d *Daemon, j *localJob, dir string) {
	dir = openTempDir(t)
	d = &Daemon{cfg: Config{LogDir: dir}, dirs: localDirs{all: []string{dir}},
		served: servedIn(filepath.Join(dir, mapOutputs))}
	require.NoError(t, d.makeLogDir())
	j = ownJob(1)
	j.account = a
	var err error
	j.home, err = j.use(dir)
	require.NoError(t, err)
	return d, j, dir
}

func TestDirectoriesOfAJobArePrivate(t *testing.T) {
	ann := nobody(t)
	d, j, dir := jobOf(t, ann)
	file := filepath.Join(dir, "cached")
	require.NoError(t, os.WriteFile(file, []byte("cached"), 0o600))
	fs, err := files.Resolver(conf.New())
	require.NoError(t, err)
	d.cache.Dir, d.cache.Limit = func() (string, error) { return dir, nil }, 1<<20
	j.cache, err = d.cache.Acquire(context.Background(), fs, distcache.User{Name: "ann",
		Give: func(dir string) error { return give(dir, ann) }},
		[]distcache.Entry{{URI: "file:" + file, Link: "sub/link", ModTime: -1, Size: -1}})
	require.NoError(t, err)

	attempt, logs := filepath.Join(j.home, "attempt_1"), attemptLogs(dir, j.id, "attempt_1")
	require.NoError(t, j.makeAttempt(attempt, true, 0))
	require.NoError(t, j.makeLogs(logs))
	for _, p := range []string{j.home, filepath.Dir(j.home), attempt, filepath.Dir(logs)} {
		is(t, p, 0, ann.GID, 0o710)
	}
	for _, p := range []string{logs, filepath.Join(attempt, workDir), filepath.Join(attempt, outputDir)} {
		is(t, p, ann.UID, ann.GID, 0o700)
	}
	is(t, filepath.Join(attempt, workDir, "sub"), ann.UID, ann.GID, 0o755)
	text := filepath.Join(attempt, workDir, "sub", "link")
	copied, err := os.Readlink(text)
	require.NoError(t, err)
	is(t, filepath.Dir(copied), ann.UID, ann.GID, 0o700)
	for _, name := range []string{text, copied} {
		require.NoError(t, reads("nobody", name))
		require.ErrorIs(t, reads("bin", name), os.ErrPermission)
	}
	// A second start of the attempt replaces whatever the user has left, links included.
	require.NoError(t, os.Remove(text))
	require.NoError(t, os.RemoveAll(filepath.Dir(text)))
	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, filepath.Dir(text)))
	require.NoError(t, j.makeAttempt(attempt, false, 0))
	require.NoDirExists(t, filepath.Join(attempt, outputDir))
	is(t, filepath.Join(attempt, workDir, "sub"), ann.UID, ann.GID, 0o755)
	left, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestUserMustReachTheDirectories(t *testing.T) {
	ann := nobody(t)
	d, _, dir := jobOf(t, ann)
	require.NoError(t, d.canEnter(ann))
	require.NoError(t, os.Chmod(dir, 0o700))
	err := d.canEnter(ann)
	require.ErrorAs(t, err, new(refusal))
	require.ErrorContains(t, err, "chmod o+x")
	require.NoError(t, d.canEnter(nil))
}

func TestFilesOfAJobBelongToItsUser(t *testing.T) {
	ann := nobody(t)
	d, j, _ := jobOf(t, ann)
	j.info.Credentials = []byte("token")
	_, err := d.actFor(j)
	require.NoError(t, err)
	is(t, j.tokens, ann.UID, ann.GID, 0o600)
}

// TestLogsAreTheTasksOwn checks that a link in place of a log shows nothing.
func TestLogsAreTheTasksOwn(t *testing.T) {
	d, j, dir := jobOf(t, nobody(t))
	const attempt = "attempt_202611210000_0001_m_000000_0"
	logs := attemptLogs(dir, j.id, attempt)
	require.NoError(t, j.makeLogs(logs))
	require.NoError(t, account.As("nobody", func() error {
		return os.WriteFile(filepath.Join(logs, "stdout"), []byte("hello"), 0o600)
	}))
	get := func(filter string) string {
		r := httptest.NewRecorder()
		request := httptest.NewRequest("GET", "/tasklog?plaintext=true&attemptid="+attempt+"&filter="+filter, nil)
		d.taskLog(r, request.WithContext(auth.With(t.Context(), auth.Principal{Admin: true})))
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(b)
	}
	require.Equal(t, "hello", get("stdout"))
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	for _, plant := range []func(name string) error{
		func(name string) error { return os.Symlink(secret, name) },
		func(name string) error { return os.Link(secret, name) },
		func(name string) error { return syscall.Mkfifo(name, 0o600) },
	} {
		for _, name := range []string{"stdout", profileLog} {
			_ = os.Remove(filepath.Join(logs, name))
			require.NoError(t, plant(filepath.Join(logs, name)))
		}
		require.Empty(t, get("stdout"))
		require.NotContains(t, get("profile"), "secret")
	}
}

func TestStrangersDirectoriesAreNotUsed(t *testing.T) {
	ann := nobody(t)
	for name, plant := range map[string]func(dir string) error{
		"somebody's":  func(dir string) error { return os.Lchown(dir, ann.UID, ann.GID) },
		"everybody's": func(dir string) error { return os.Chmod(dir, 0o777) },
		"a link": func(dir string) error {
			if err := os.Remove(dir); err != nil {
				return err
			}
			if err := os.Symlink(filepath.Join(filepath.Dir(dir), "target"), dir); err != nil {
				return err
			}
			return os.Lchown(dir, ann.UID, ann.GID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			kept := filepath.Join(top, "target", "local", trackerDir, "kept")
			require.NoError(t, os.MkdirAll(filepath.Dir(kept), 0o755))
			require.NoError(t, os.WriteFile(kept, nil, 0o644))
			base := filepath.Join(top, "base")
			require.NoError(t, os.Mkdir(base, 0o755))
			require.NoError(t, plant(base))
			l := localDirs{all: []string{filepath.Join(base, "local")}}
			_, err := l.sweep()
			require.True(t, failure.Is(err, failure.Config), "%v", err)
			require.ErrorContains(t, err, base)
			require.FileExists(t, kept)
		})
	}
}
