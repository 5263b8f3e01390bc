package netns

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/subnet"
	"github.com/howdah/howdah/mrcluster/provision/tool"
)

// command runs the programs that change the network. They normally take a few milliseconds.
var command = tool.Tool{Timeout: 30 * time.Second, Missing: "install iproute2 and util-linux"}

// run runs a command and waits until it ends.
func run(args ...string) error {
	_, err := command.Run(context.Background(), "run", strings.Join(args, " "), args, nil)
	return err
}

func (b *Backend) subnetFile() string { return filepath.Join(b.dir, "netns", "subnet") }

// openNetwork creates the bridge if necessary, sets its address, and adds the firewall rule. It
// reuses the recorded subnet, if any.
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

// firewall performs an iptables action (-C, -I, or -D) on the rule that lets nodes reach each
// other. Without the rule, a firewall that filters bridged packets, such as dockerd's, might drop
// their packets.
func (b *Backend) firewall(action string) error {
	return run("iptables", "-w", action, "FORWARD", "-i", b.name, "-o", b.name, "-j", "ACCEPT")
}

// forward adds the firewall rule unless it exists. It ignores errors, such as on a machine without
// a firewall.
func (b *Backend) forward() {
	if b.firewall("-C") != nil {
		_ = b.firewall("-I")
	}
}

// closeNetwork removes the bridge and the firewall rule. It ignores errors.
func (b *Backend) closeNetwork() {
	for b.firewall("-D") == nil {
	}
	if exists(b.name) {
		_ = run("ip", "link", "del", b.name)
	}
}

func (b *Backend) namespace(number int) string { return fmt.Sprintf("%s-%d", b.name, number) }
func (b *Backend) cable(number int) string     { return fmt.Sprintf("%sv%d", b.name, number) }

// namespaceFile returns the path of the file that `ip netns` keeps for a namespace.
func namespaceFile(name string) string { return filepath.Join("/run/netns", name) }

// connect creates a node's namespace and the veth pair that connects it to the bridge, with the
// bandwidth limit. It replaces an existing namespace, in which no process may be running.
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
		steps = append(steps, append([]string{"tc"}, b.shape(outside)...),
			append([]string{"tc", "-n", ns}, b.shape("eth0")...))
	}
	for _, args := range steps {
		if err := run(args...); err != nil {
			_ = b.disconnect(number)
			return err
		}
	}
	return nil
}

// shape returns the tc arguments that limit the rate at which a device sends. The burst is the
// amount that the device sends between two ticks of a 250 Hz clock, but at least one large packet
// (64 KiB).
func (b *Backend) shape(device string) []string {
	burst := max(64<<10, b.cfg.Mbit*1_000_000/8/250)
	return []string{"qdisc", "replace", "dev", device, "root", "tbf", "rate", fmt.Sprintf("%dmbit", b.cfg.Mbit), "burst",
		fmt.Sprint(burst), "latency", "50ms"}
}

// disconnect removes a node's namespace and its veth pair. It ignores missing parts.
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
