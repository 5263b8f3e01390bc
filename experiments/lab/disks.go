package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/process"
	"github.com/howdah/howdah/mrcluster/provision/tool"
)

// A disk is a file system in a file, which a node sees in place of its directory of deployments. The
// kernel limits the bandwidth of its loop device. Writes wait for the device (mount option sync),
// because the kernel would otherwise write them later, at any speed.
type disk struct {
	node   string // directory of the node
	image  string
	device string // /dev/loopN
}

// diskSize is the size of a node's disk in bytes. The file has holes, so it occupies less.
const diskSize = 4 << 30

// AddDisks replaces the disk of each node, which must be a network namespace without deployments, by
// a slow one. mb is the bandwidth in MB/s for reads, and the same for writes. It needs root, e2fsprogs,
// and control groups of version 1. Stop removes the disks.
func (p *Pool) AddDisks(ctx context.Context, mb int64) error {
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	for _, n := range s.Nodes {
		if err := p.addDisk(ctx, n.Name, mb<<20); err != nil {
			return failure.New(failure.KindOf(err), "limit the disk of node", n.Name, err)
		}
	}
	return nil
}

func (p *Pool) addDisk(ctx context.Context, node string, bytes int64) error {
	dir := filepath.Join(p.managerDir(), "nodes", node)
	d := &disk{node: dir, image: filepath.Join(p.Dir, "disk-"+node)}
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(d.image, diskSize); err != nil {
		return err
	}
	p.disks = append(p.disks, d)
	// Without a journal and barriers, the device's bandwidth is the only limit.
	if _, err := program(ctx, "mkfs.ext4", "-q", "-O", "^has_journal", "-E", "lazy_itable_init=1", d.image); err != nil {
		return err
	}
	device, err := program(ctx, "losetup", "--find", "--show", d.image)
	if err != nil {
		return err
	}
	d.device = strings.TrimSpace(device)
	if err := d.throttle(p.apart.Mount, bytes); err != nil {
		return err
	}
	at := deployments(dir)
	if err := os.MkdirAll(at, owndir.Crossed()); err != nil {
		return err
	}
	// The agent has its own mount namespace, so the mount ends with the node.
	_, err = d.inside(ctx, `mount -o sync,barrier=0,noatime "$1" "$2" && chmod 711 "$2"`, d.device, at)
	return err
}

// deployments returns the directory in which a node stores everything that belongs to an MR-cluster.
func deployments(node string) string { return filepath.Join(node, "agent", "deployments") }

// throttle limits the bandwidth of a loop device, in bytes per second; 0 = no limit.
func (d *disk) throttle(mount string, bytes int64) error {
	number, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(d.device), "dev"))
	if err != nil {
		return err
	}
	limit := fmt.Sprintf("%s %d", strings.TrimSpace(string(number)), bytes)
	for _, way := range []string{"read", "write"} {
		file := filepath.Join(mount, "blkio", "blkio.throttle."+way+"_bps_device")
		if err := os.WriteFile(file, []byte(limit), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// DropCache removes the data on the nodes' disks from the page cache, so that the next read of it
// waits for the disk.
func (p *Pool) DropCache(ctx context.Context) error {
	for _, d := range p.disks {
		// Files come and go, so dd may fail.
		if _, err := d.inside(ctx, `find "$1" -type f -exec dd if={} iflag=nocache count=0 status=none \; 2>&1 || true`,
			deployments(d.node)); err != nil {
			return err
		}
	}
	return nil
}

// inside runs a shell script in the mount namespace of the node.
func (d *disk) inside(ctx context.Context, script string, args ...string) (string, error) {
	pid := process.PID(d.node)
	if pid == 0 {
		return "", failure.New(failure.NotFound, "enter node", d.node, errors.New("the agent is not running"))
	}
	return program(ctx, append([]string{"nsenter", "--target", strconv.Itoa(pid), "--mount", "--", "/bin/sh", "-c", script,
		"sh"}, args...)...)
}

// removeDisks removes the disks of nodes that have ended.
func (p *Pool) removeDisks() {
	for _, d := range p.disks {
		if d.device != "" {
			_ = d.throttle(p.apart.Mount, 0)
			_, _ = program(context.Background(), "losetup", "--detach", d.device)
		}
	}
}

// programs runs the programs that change nodes.
var programs = tool.Tool{Timeout: time.Minute, Missing: "install util-linux, iproute2, and e2fsprogs"}

// program runs a program and returns its output.
func program(ctx context.Context, words ...string) (string, error) {
	return programs.Run(ctx, "run", strings.Join(words, " "), words, nil)
}
