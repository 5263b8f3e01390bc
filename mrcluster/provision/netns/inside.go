package netns

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// names is where the files lie that stand in /etc inside of a namespace.
func (b *Backend) names(file string) string { return filepath.Join(b.dir, "netns", file) }

// writeNames writes these files. There is no name server inside: Java looks up this machine's name, and waits long for each name that
// it does not find.
func (b *Backend) writeNames() error {
	self, _ := os.Hostname()
	for file, text := range map[string]string{"hosts": "127.0.0.1 localhost " + self + "\n", "resolv.conf": "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n"} {
		if err := os.WriteFile(b.names(file), []byte(text), 0o644); err != nil {
			return failure.New(failure.KindOf(err), "write", b.names(file), err)
		}
	}
	return nil
}

// enter runs in a namespace of mounts of its own, in which the files lie over those in /etc. `ip netns exec` would do the same and more: it
// mounts another /sys, without the control groups.
const enter = `mount --bind "$1" /etc/hosts && mount --bind "$2" /etc/resolv.conf && shift 2 && exec "$@"`

// inside gives a command that runs another one in a node's namespace. Each step replaces the one before, so that it stays one process.
func (b *Backend) inside(number int, command []string) []string {
	return append([]string{"nsenter", "--net=" + namespaceFile(b.namespace(number)), "--", "unshare", "--mount", "--propagation", "slave", "--",
		"/bin/sh", "-c", enter, "enter", b.names("hosts"), b.names("resolv.conf")}, command...)
}
