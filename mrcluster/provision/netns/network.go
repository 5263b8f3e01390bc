package netns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/subnet"
)

// commandTimeout bounds a command that changes the network; they take some milliseconds.
const commandTimeout = 30 * time.Second

// run runs a command to its end.
func run(args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return failure.New(failure.NotFound, "run", args[0], err).Fix("install iproute2 and util-linux")
	}
	if err != nil {
		return failure.New(failure.IO, "run", strings.Join(args, " "), fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out))))
	}
	return nil
}

func (b *Backend) subnetFile() string { return filepath.Join(b.dir, "netns", "subnet") }

// openNetwork makes the bridge, with the addresses that it had if there was one.
func (b *Backend) openNetwork() error {
	text, err := os.ReadFile(b.subnetFile())
	b.net = subnet.Subnet(strings.TrimSpace(string(text)))
	if err != nil || !b.net.Valid() {
		if b.net, err = subnet.Find(b.name); err != nil {
			return err
		}
		if err := os.WriteFile(b.subnetFile(), []byte(b.net+"\n"), 0o644); err != nil {
			return failure.New(failure.KindOf(err), "write", b.subnetFile(), err)
		}
	}
	if !exists(b.name) {
		if err := run("ip", "link", "add", b.name, "type", "bridge"); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"ip", "addr", "replace", b.net.Address(subnet.Gateway) + "/24", "dev", b.name},
		{"ip", "link", "set", b.name, "up"},
	} {
		if err := run(args...); err != nil {
			return err
		}
	}
	b.forward()
	return nil
}

func exists(device string) bool {
	_, err := net.InterfaceByName(device)
	return err == nil
}

// firewall is the rule that lets nodes talk to each other: where a firewall sees what passes a bridge, as with dockerd, it may drop it.
func (b *Backend) firewall(action string) error {
	return run("iptables", "-w", action, "FORWARD", "-i", b.name, "-o", b.name, "-j", "ACCEPT")
}

// forward makes the rule, as far as there is a firewall.
func (b *Backend) forward() {
	if b.firewall("-C") != nil {
		_ = b.firewall("-I")
	}
}

// closeNetwork takes back what openNetwork made. What is not there is no error.
func (b *Backend) closeNetwork() {
	for b.firewall("-D") == nil {
	}
	if exists(b.name) {
		_ = run("ip", "link", "del", b.name)
	}
}

func (b *Backend) namespace(number int) string { return fmt.Sprintf("%s-%d", b.name, number) }
func (b *Backend) cable(number int) string     { return fmt.Sprintf("%sv%d", b.name, number) }

// namespaceFile is how a namespace is named: the files of `ip netns`.
func namespaceFile(name string) string { return filepath.Join("/run/netns", name) }

// connect makes a node's namespace and its cable to the bridge. One that is half made is made anew: nothing runs there.
func (b *Backend) connect(number int) error {
	if err := b.disconnect(number); err != nil {
		return err
	}
	ns, outside := b.namespace(number), b.cable(number)
	inside := func(args ...string) []string { return append([]string{"ip", "-n", ns}, args...) }
	steps := [][]string{
		{"ip", "netns", "add", ns},
		{"ip", "link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", ns},
		{"ip", "link", "set", outside, "master", b.name, "up"},
		inside("addr", "add", b.net.Address(number)+"/24", "dev", "eth0"),
		inside("link", "set", "eth0", "up"),
		inside("link", "set", "lo", "up"),
		inside("route", "add", "default", "via", b.net.Address(subnet.Gateway)),
	}
	if b.cfg.Mbit > 0 {
		steps = append(steps, append([]string{"tc"}, b.shape(outside)...), append([]string{"tc", "-n", ns}, b.shape("eth0")...))
	}
	for _, args := range steps {
		if err := run(args...); err != nil {
			_ = b.disconnect(number)
			return err
		}
	}
	return nil
}

// shape limits what a device sends. The burst is what is sent between two looks of a slow clock, and never less than one large packet.
func (b *Backend) shape(device string) []string {
	burst := max(64<<10, b.cfg.Mbit*1_000_000/8/250)
	return []string{"qdisc", "replace", "dev", device, "root", "tbf", "rate", fmt.Sprintf("%dmbit", b.cfg.Mbit), "burst", fmt.Sprint(burst), "latency", "50ms"}
}

// disconnect removes a node's namespace, and with it both ends of its cable. What is not there is no error.
func (b *Backend) disconnect(number int) error {
	if exists(b.cable(number)) {
		if err := run("ip", "link", "del", b.cable(number)); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(namespaceFile(b.namespace(number))); err == nil {
		return run("ip", "netns", "del", b.namespace(number))
	}
	return nil
}
