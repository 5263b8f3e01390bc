package apachehadoop

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// AddDataNode starts another DataNode with additional settings, waits until it has registered with
// the NameNode, and returns its name.
func (c *Cluster) AddDataNode(ctx context.Context, settings ...Setting) (string, error) {
	number := 1
	for _, p := range c.parts {
		if p.class == dataNodeClass {
			number++
		}
	}
	name := "datanode" + strconv.Itoa(number)
	p := &part{name: name, class: dataNodeClass, conf: filepath.Join(c.dir, "conf", name), ready: dataNodeReady}
	ports, err := FreePorts(3)
	if err != nil {
		return "", err
	}
	host := c.host
	if c.network != nil {
		if p.node, err = c.network.add(number, name); err != nil {
			return "", err
		}
		host = p.node.ip
		settings = append([]Setting{{"dfs.datanode.hostname", name}}, settings...)
	}
	p.rpc, p.web = net.JoinHostPort(host, ports[0]), net.JoinHostPort(host, ports[2])
	own := []Setting{{"dfs.datanode.data.dir", filepath.Join(c.dir, "data", name)}, {"dfs.datanode.address", p.rpc},
		{"dfs.datanode.ipc.address", net.JoinHostPort(host, ports[1])}, {"dfs.datanode.http.address", p.web}}
	if err := c.writePartConf(p.conf, append(append(own, c.o.DataNode...), settings...)); err != nil {
		return "", err
	}
	c.parts = append(c.parts, p)
	return name, c.start(ctx, p)
}

// DataDir returns the directory of a DataNode's blocks.
func (c *Cluster) DataDir(name string) string { return filepath.Join(c.dir, "data", name) }

// Replicas returns the paths of the files that contain a DataNode's finished blocks, but not of
// their checksum files. A test may damage these files.
func (c *Cluster) Replicas(name string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(c.DataDir(name), func(file string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // the block was deleted after the directory was listed
		}
		if err == nil && strings.HasPrefix(d.Name(), "blk_") && !strings.HasSuffix(file, ".meta") &&
			strings.Contains(file, "/finalized/") {
			out = append(out, file)
		}
		return err
	})
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "list replicas of", name, err)
	}
	return out, nil
}

// includeFile and excludeFile return the paths of the NameNode's hosts file and exclude file. The
// NameNode reads both on refreshNodes. An empty hosts file includes all DataNodes.
func (c *Cluster) includeFile() string { return filepath.Join(c.dir, "conf", "dfs.include") }
func (c *Cluster) excludeFile() string { return filepath.Join(c.dir, "conf", "dfs.exclude") }

// SetIncluded writes the addresses of the named DataNodes to the NameNode's hosts file. Only these
// DataNodes may then join. Without names, all DataNodes may join. The NameNode reads the file at
// the next refreshNodes.
func (c *Cluster) SetIncluded(names ...string) error { return c.writeHosts(c.includeFile(), names) }

// SetExcluded writes the addresses of the named DataNodes to the NameNode's exclude file. The
// NameNode starts to decommission these DataNodes at the next refreshNodes.
func (c *Cluster) SetExcluded(names ...string) error { return c.writeHosts(c.excludeFile(), names) }

func (c *Cluster) writeHosts(file string, names []string) error {
	var b strings.Builder
	for _, n := range names {
		p, err := c.part(n)
		if err != nil {
			return err
		}
		b.WriteString(p.rpc + "\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write", file, err)
	}
	return nil
}
