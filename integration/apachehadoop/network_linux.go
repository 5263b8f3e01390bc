package apachehadoop

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

func namespacesAvailable() error {
	if os.Geteuid() != 0 {
		return failure.New(failure.Permission, "create network namespaces", "", errors.New("this needs root"))
	}
	w, err := newNetwork()
	if err != nil {
		return err
	}
	defer w.remove()
	_, err = w.add(1, "probe")
	return err
}

func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return failure.New(failure.IO, "run", "ip "+strings.Join(args, " "), fmt.Errorf("%w: %s", err, tail(out, 500)))
	}
	return nil
}

// newNetwork creates a bridge with its own network 10.X.Y.0/24, and a firewall rule (see forward).
// The bridge's name contains X and Y, so creating the bridge reserves the network.
func newNetwork() (*network, error) {
	var err error
	for range 20 {
		x, y := 64+rand.IntN(64), rand.IntN(256)
		w := &network{name: fmt.Sprintf("hd%d-%d", x, y), ip: fmt.Sprintf("10.%d.%d.1", x, y)}
		if err = ip("link", "add", w.name, "type", "bridge"); err != nil {
			continue
		}
		if err = ip("addr", "add", w.ip+"/24", "dev", w.name); err == nil {
			err = ip("link", "set", w.name, "up")
		}
		if err != nil {
			w.remove()
			return nil, err
		}
		w.forward("-I")
		return w, nil
	}
	return nil, err
}

// forward adds ("-I") or removes ("-D") a firewall rule that allows traffic between the nodes.
// Without the rule, a firewall that filters bridged traffic may drop it.
func (w *network) forward(action string) {
	if _, err := exec.LookPath("iptables"); err == nil {
		_ = exec.Command("iptables", action, "FORWARD", "-i", w.name, "-o", w.name, "-j", "ACCEPT").Run()
	}
}

// etc returns the folder with the namespace's own files for /etc.
func (n *node) etc() string { return filepath.Join("/etc/netns", n.name) }

func (w *network) addNode(n *node) error {
	outside := n.name + "v"
	for _, args := range [][]string{
		{"netns", "add", n.name},
		{"link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", n.name},
		{"link", "set", outside, "master", w.name, "up"},
		{"-n", n.name, "addr", "add", n.ip + "/24", "dev", "eth0"},
		{"-n", n.name, "link", "set", "eth0", "up"},
		{"-n", n.name, "link", "set", "lo", "up"},
		{"-n", n.name, "route", "add", "default", "via", w.ip},
	} {
		if err := ip(args...); err != nil {
			return err
		}
	}
	// The namespace has no name server. Java looks up this machine's name and waits 10 s for each
	// name that it cannot resolve.
	self, _ := os.Hostname()
	hosts := "127.0.0.1 localhost " + self + "\n" + w.ip + " namenode\n"
	for i := 1; i <= maxNodes; i++ {
		hosts += fmt.Sprintf("%s datanode%d\n", w.address(i), i)
	}
	if err := writeFile(filepath.Join(n.etc(), "hosts"), hosts, 0o644); err != nil {
		return err
	}
	return writeFile(filepath.Join(n.etc(), "resolv.conf"), "nameserver 127.0.0.1\n", 0o644)
}

// remove deletes the namespaces, the firewall rule, and the bridge. It ignores errors because a
// caller could not handle them.
func (w *network) remove() {
	if w == nil {
		return
	}
	for _, n := range w.nodes {
		_ = ip("netns", "del", n.name) // deletes both ends of the virtual cable
		_ = os.RemoveAll(n.etc())
	}
	w.forward("-D")
	_ = ip("link", "del", w.name)
}
