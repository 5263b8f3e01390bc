//go:build integration && linux

package cgroups

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// contained runs the helper "contained" in an environment with control groups as in a Docker
// container: the mounts are read-only and show only the container's own group. The helper runs as
// who; nil means this user. contained returns the helper's output and the path of the group.
func contained(t *testing.T, who *syscall.Credential) (said, group string) {
	open(t)
	group = fmt.Sprintf("/howdah-container-%d", os.Getpid())
	exe, err := os.Executable()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "cgroups") // accessible to all users
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	b, err := os.ReadFile(exe)
	require.NoError(t, err)
	program := filepath.Join(dir, "helper")
	require.NoError(t, os.WriteFile(program, b, 0o755))
	script := "set -e; mount --make-rprivate /; mkdir " + dir + "/view\n"
	for _, c := range []string{"cpu", "cpuacct", "memory"} {
		own := "/sys/fs/cgroup/" + c + group
		require.NoError(t, os.Mkdir(own, 0o755))
		t.Cleanup(func() { require.NoError(t, os.Remove(own), "the container's group is not empty") })
		view := dir + "/view/" + c
		script += fmt.Sprintf("mkdir %s; mount --bind %s %s; mount -o remount,ro,bind %s; echo $$ > %s/cgroup.procs\n", view,
			own, view, view, own)
	}
	run := program + " " + dir + "/view"
	if who != nil {
		run = fmt.Sprintf("setpriv --reuid %d --regid %d --clear-groups %s", who.Uid, who.Gid, run)
	}
	cmd := exec.Command("unshare", "-m", "sh", "-c", script+run)
	cmd.Env = append(os.Environ(), "CGROUPS_HELPER=contained")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out), group
}

// With CAP_SYS_ADMIN, a process in a container creates groups below the container's own group.
func TestInAContainer(t *testing.T) {
	said, group := contained(t, nil)
	require.Contains(t, said, "{Weight:100 Quota:500 Memory:67108864 SoftMemory:0} <nil>")
	for _, c := range []string{"cpu", "cpuacct", "memory"} {
		require.Regexp(t, `:`+c+`:`+group+`/howdah/test-\d+/child-1 `, said)
	}
	require.True(t, strings.HasSuffix(said, "<nil> <nil>\n"), said)
}

// Without CAP_SYS_ADMIN the error names the missing permission, and no group is left behind.
func TestInAContainerWithoutPermission(t *testing.T) {
	said, _ := contained(t, &syscall.Credential{Uid: 65534, Gid: 65534})
	require.Regexp(t, `permission create control group /howdah: .*cap_add: SYS_ADMIN`, said)
}
