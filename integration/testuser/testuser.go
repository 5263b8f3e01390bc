// Package testuser creates accounts for tests.
package testuser

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// User is an account on this machine.
type User struct {
	Name     string
	Home     string
	UID, GID int
}

// Root is the root user.
var Root = &User{Name: "root", Home: "/root"}

// New creates an account with an empty home directory of mode 0700. Both are removed when the test
// ends. New skips the test if this process is not allowed to create accounts or if the required
// programs are missing.
func New(t testing.TB, name string) *User {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, who can create accounts")
	}
	for _, program := range []string{"useradd", "userdel"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("cannot create accounts: ", err)
		}
	}
	_ = exec.Command("userdel", "-rf", name).Run() // an earlier test that was killed may have left the account
	out, err := exec.Command("useradd", "-m", "-s", "/bin/sh", "-K", "HOME_MODE=0700", "-K", "UMASK=077", name).
		CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Cleanup(func() { _ = exec.Command("userdel", "-rf", name).Run() })
	found, err := user.Lookup(name)
	require.NoError(t, err)
	u := &User{Name: name, Home: found.HomeDir}
	u.UID, err = strconv.Atoi(found.Uid)
	require.NoError(t, err)
	u.GID, err = strconv.Atoi(found.Gid)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(u.Home, 0o700))
	return u
}

// Credential returns the credential with which a command runs as the user.
func (u *User) Credential() *syscall.Credential {
	return &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID)}
}

// Dir creates a directory, unless it exists, and returns its name. It makes the user the owner of
// the directory and sets the mode, even if the directory existed.
func (u *User) Dir(t testing.TB, name string, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(name, 0o755))
	u.own(t, name, mode)
	return name
}

// File writes a file that belongs to the user and returns its name.
func (u *User) File(t testing.TB, name, text string, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), mode))
	u.own(t, name, mode)
	return name
}

func (u *User) own(t testing.TB, name string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.Chmod(name, mode))
	require.NoError(t, os.Chown(name, u.UID, u.GID))
}
