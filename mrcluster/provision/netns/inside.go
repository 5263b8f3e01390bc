package netns

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// names returns the path of a file in the back end's own directory.
func (b *Backend) names(file string) string { return filepath.Join(b.dir, "netns", file) }

// writeNames writes hosts and resolv.conf. A namespace has no name server, but Java looks up this
// machine's name and takes a long time for each failed lookup.
func (b *Backend) writeNames() error {
	self, _ := os.Hostname()
	for file, text := range map[string]string{"hosts": "127.0.0.1 localhost " + self + "\n",
		"resolv.conf": "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n"} {
		if err := os.WriteFile(b.names(file), []byte(text), 0o644); err != nil {
			return failure.New(failure.KindOf(err), "write", b.names(file), err)
		}
	}
	return nil
}

// enter is a script that runs in its own mount namespace, mounts the files of writeNames over those
// in /etc, and runs a command. `ip netns exec` would also mount a different /sys, without the
// control groups.
const enter = `mount --bind "$1" /etc/hosts && mount --bind "$2" /etc/resolv.conf && shift 2 && exec "$@"`

// inside returns a command line that runs command in a node's namespace. Each step replaces the
// previous one using exec, so the process ID stays the same.
func (b *Backend) inside(number int, command []string) []string {
	return append([]string{"nsenter", "--net=" + namespaceFile(b.namespace(number)), "--", "unshare", "--mount",
		"--propagation", "slave", "--",
		"/bin/sh", "-c", enter, "enter", b.names("hosts"), b.names("resolv.conf")}, command...)
}
