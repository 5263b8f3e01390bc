package apachehadoop

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/howdah/howdah/job/failure"
)

// Setting is one property of Hadoop's configuration.
type Setting struct{ Name, Value string }

// Options tune a cluster; the zero value has HDFS only, with one DataNode.
type Options struct {
	DataNodes   int  // 0 = 1
	Replication int  // 0 = 1
	HA          bool // two NameNodes, namenode1 (active) and namenode2, under the name service "ns1"
	YARN        bool // ResourceManager and NodeManager too
	History     bool // with YARN: the job history server
	TaskHeapMB  int  // Java heap of a task; 0 = 800

	// Namespaces gives each DataNode a network namespace, and with it an address, of its own; Linux and root only, see
	// NamespacesAvailable. Racks are told apart only there: on loopback all DataNodes have one address.
	Namespaces bool
	Racks      []string // of datanode1 and so on, from the start again when there are more nodes; empty = one rack

	Site     []Setting // in hdfs-site.xml and core-site.xml of all parts and of clients
	NameNode []Setting // of NameNodes alone
	DataNode []Setting // of DataNodes alone
	YARNSite []Setting // in yarn-site.xml and mapred-site.xml

	Kerberos    *Kerberos // nil = an open cluster
	JavaOptions []string  // of every Java process
}

// Cluster is a Hadoop that runs. Its methods may not be called concurrently, except those that only look: Addr, Web, Log,
// LiveNodes, Run.
type Cluster struct {
	o        Options
	dir, lib string
	nameNode string // URI of the file system
	active   string // name of the active NameNode
	host     string // where the NameNode listens
	network  *network
	parts    []*part // in order of start
}

// The main classes.
const (
	Examples  = "org.apache.hadoop.examples.ExampleDriver"
	Shell     = "org.apache.hadoop.fs.FsShell"
	Admin     = "org.apache.hadoop.hdfs.tools.DFSAdmin"
	Streaming = "org.apache.hadoop.streaming.HadoopStreaming"
)

// startTries is how often a cluster is started anew when another process has taken one of its ports meanwhile.
const startTries = 3

// Start formats a file system below dir, which must be new, and starts the daemons. Stop them when done.
func Start(ctx context.Context, dir string, o Options) (*Cluster, error) {
	o.DataNodes, o.Replication = max(o.DataNodes, 1), max(o.Replication, 1)
	if o.TaskHeapMB == 0 {
		o.TaskHeapMB = 800
	}
	lib, err := Jars(ctx)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, failure.New(failure.IO, "find directory", dir, err)
	}
	if err := o.Kerberos.prepare(ctx, filepath.Base(dir)); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		c := &Cluster{o: o, dir: dir, lib: lib}
		err := c.startAll(ctx)
		if err == nil {
			return c, nil
		}
		taken := c.portTaken()
		c.Stop()
		if !taken || try == startTries {
			return nil, err
		}
		for _, d := range []string{"conf", "logs", "data"} {
			if err := os.RemoveAll(filepath.Join(dir, d)); err != nil {
				return nil, failure.New(failure.KindOf(err), "clean up", dir, err)
			}
		}
	}
}

// portTaken reports whether some part failed because its port is in use.
func (c *Cluster) portTaken() bool {
	return slices.ContainsFunc(c.parts, func(p *part) bool {
		return p.cmd != nil && !p.running() && bytes.Contains(c.ownLog(p), []byte("BindException"))
	})
}

func (c *Cluster) startAll(ctx context.Context) error {
	if err := c.configure(); err != nil {
		return err
	}
	if err := c.startNameNodes(ctx); err != nil {
		return err
	}
	for range c.o.DataNodes {
		if _, err := c.AddDataNode(ctx); err != nil {
			return err
		}
	}
	if err := c.AwaitLive(ctx, c.o.DataNodes); err != nil {
		return err
	}
	for _, p := range c.parts {
		if p.cmd == nil { // YARN's
			if err := c.start(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Cluster) startNameNodes(ctx context.Context) error {
	for i, p := range c.nameNodes() {
		first := []string{"-format", "-nonInteractive"}
		if i > 0 {
			first[0] = "-bootstrapStandby"
		}
		if out, err := c.java(ctx, p.conf, 300, nameNodeClass, first...).CombinedOutput(); err != nil {
			return failure.New(failure.IO, "make the file system in", c.dir, fmt.Errorf("%w: %s", err, tail(out, 2000)))
		}
		if err := c.start(ctx, p); err != nil {
			return err
		}
		if c.o.HA && i == 0 {
			if err := c.Activate(ctx, p.name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Cluster) nameNodes() []*part {
	var out []*part
	for _, p := range c.parts {
		if p.class == nameNodeClass {
			out = append(out, p)
		}
	}
	return out
}

// Activate makes a NameNode of an HA pair the active one, whether or not another one still takes itself for it.
func (c *Cluster) Activate(ctx context.Context, name string) error {
	_, err := c.Run(ctx, "org.apache.hadoop.hdfs.tools.DFSHAAdmin", "-transitionToActive", "--forceactive", haID(name))
	if err == nil {
		c.active = name
	}
	return err
}

// Failover moves the active role from one NameNode of an HA pair to the other; both must run. It waits until the other is ready:
// out of safe mode.
func (c *Cluster) Failover(ctx context.Context, from, to string) error {
	err := c.Await(ctx, to+" to take over", func() (bool, error) {
		_, err := c.Run(ctx, "org.apache.hadoop.hdfs.tools.DFSHAAdmin", "-failover", haID(from), haID(to))
		return err == nil, err
	})
	if err == nil {
		c.active = to
	}
	return err
}

// ConfDir gives the configuration directory of clients: what HADOOP_CONF_DIR names.
func (c *Cluster) ConfDir() string { return filepath.Join(c.dir, "conf") }

// Host gives the address under which all parts reach this machine: of loopback, or of the bridge where there are namespaces.
func (c *Cluster) Host() string { return c.host }

// URI gives the root of HDFS.
func (c *Cluster) URI() string { return c.nameNode }

// java prepares a Java process with Hadoop's class path.
func (c *Cluster) java(ctx context.Context, conf string, heapMB int, class string, args ...string) *exec.Cmd {
	// What Java unpacks (web pages, native code) stays behind when it is killed, so it does not go to the machine's /tmp.
	scratch := filepath.Join(c.dir, "java")
	_ = os.MkdirAll(scratch, 0o755)
	all := []string{"-XX:-UsePerfData", "-Djava.io.tmpdir=" + scratch, "-Xmx" + strconv.Itoa(heapMB) + "m", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED",
		"-Djava.net.preferIPv4Stack=true", "-Dhadoop.log.dir=" + filepath.Join(c.dir, "logs")}
	all = slices.Concat(all, c.o.Kerberos.javaOptions(), c.o.JavaOptions, []string{"-cp", conf + ":" + c.lib + "/*", class}, args)
	cmd := exec.CommandContext(ctx, "java", all...)
	cmd.Dir = c.dir
	return cmd
}

// Run runs a main class against the cluster and gives what it wrote.
func (c *Cluster) Run(ctx context.Context, class string, args ...string) ([]byte, error) {
	return output(c.java(ctx, c.ConfDir(), 1000, class, args...), class, args)
}

func output(cmd *exec.Cmd, class string, args []string) ([]byte, error) {
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.Bytes(), failure.New(failure.Failed, "run "+class, fmt.Sprint(args), fmt.Errorf("%w: %s", err, tail(errOut.Bytes(), 3000)))
	}
	return out.Bytes(), nil
}

// Stop ends all parts, the last started first, waits until they have gone, and removes the network namespaces.
func (c *Cluster) Stop() {
	for _, p := range slices.Backward(c.parts) {
		p.stop()
	}
	c.network.remove()
	c.network = nil
}
