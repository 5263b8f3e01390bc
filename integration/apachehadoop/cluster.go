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

// Options configures a cluster. The zero value starts only HDFS, with one DataNode.
type Options struct {
	DataNodes   int  // 0 = 1
	Replication int  // 0 = 1
	HA          bool // run two NameNodes, namenode1 (active) and namenode2, under the name service "ns1"
	YARN        bool // also start a ResourceManager and a NodeManager
	History     bool // also start the job history server; requires YARN
	TaskHeapMB  int  // Java heap of a task in MB; 0 = 800

	// Namespaces places each DataNode in its own network namespace, with its own address. It
	// requires Linux and root; see NamespacesAvailable. Racks have no effect without Namespaces,
	// because on loopback all DataNodes have the same address.
	Namespaces bool
	Racks      []string // racks of datanode1, datanode2, and so on, repeated for additional nodes; empty = one rack

	Site     []Setting // for hdfs-site.xml and core-site.xml of all daemons and clients
	NameNode []Setting // of NameNodes only
	DataNode []Setting // of DataNodes only
	YARNSite []Setting // for yarn-site.xml and mapred-site.xml

	Kerberos *Kerberos // nil = no authentication

	// Benchmark lets Java optimize long-running code. Otherwise, Java starts faster, but its peak
	// speed is lower.
	Benchmark bool
}

// javaOptions returns the options that all Java processes of the cluster get.
func (o *Options) javaOptions() []string {
	if o.Benchmark {
		return nil
	}
	return []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"}
}

// Cluster is a running Hadoop cluster. The Addr, Web, Log, LiveNodes, and Run methods may run
// concurrently, but not while another method changes the cluster.
type Cluster struct {
	o        Options
	dir, lib string
	nameNode string // URI of the file system
	active   string // name of the active NameNode
	host     string // address at which the NameNode listens
	network  *network
	parts    []*part // NameNodes, YARN's daemons, and then DataNodes
}

// The main classes of the example programs and of HDFS's commands, for Run.
const (
	Examples = "org.apache.hadoop.examples.ExampleDriver"
	Shell    = "org.apache.hadoop.fs.FsShell"
	Admin    = "org.apache.hadoop.hdfs.tools.DFSAdmin"
)

// startTries is how often Start tries to start a cluster. Another process may take a port between
// the search for free ports and the start of a daemon.
const startTries = 3

// Start formats a file system in dir, which must not exist, and starts the daemons. The caller must
// call Stop.
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

// portTaken reports whether a daemon failed because its port is in use.
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
		if p.cmd == nil { // YARN's parts
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
			return failure.New(failure.IO, "format the file system in", c.dir, fmt.Errorf("%w: %s", err, tail(out, 2000)))
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

// Activate makes a NameNode of an HA pair active, even if the other NameNode still considers itself
// active.
func (c *Cluster) Activate(ctx context.Context, name string) error {
	_, err := c.Run(ctx, "org.apache.hadoop.hdfs.tools.DFSHAAdmin", "-transitionToActive", "--forceactive", haID(name))
	if err == nil {
		c.active = name
	}
	return err
}

// Failover transfers the active role from one NameNode of an HA pair to the other. Both NameNodes
// must be running. Failover retries for up to three minutes, because a NameNode in safe mode
// rejects the role.
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

// ConfDir returns the configuration directory for clients, which is the value for HADOOP_CONF_DIR.
func (c *Cluster) ConfDir() string { return filepath.Join(c.dir, "conf") }

// ClientEnv returns the environment variables with which a program finds Hadoop's client and the
// cluster.
func (c *Cluster) ClientEnv() []string {
	return []string{"HADOOP_HOME=" + filepath.Dir(c.lib), "HADOOP_CONF_DIR=" + c.ConfDir()}
}

// Host returns the address at which all daemons reach this machine: the bridge's address if the
// cluster uses namespaces, localhost if it uses Kerberos, and otherwise 127.0.0.1.
func (c *Cluster) Host() string { return c.host }

// URI returns the URI of the root of HDFS.
func (c *Cluster) URI() string { return c.nameNode }

// java returns a command that runs a Java class with Hadoop's class path.
func (c *Cluster) java(ctx context.Context, conf string, heapMB int, class string, args ...string) *exec.Cmd {
	// Java unpacks files such as web pages and native code. A killed process does not remove them, so
	// they must not be in the machine's /tmp.
	scratch := filepath.Join(c.dir, "java")
	_ = os.MkdirAll(scratch, 0o755)
	all := []string{"-XX:-UsePerfData", "-Djava.io.tmpdir=" + scratch, "-Xmx" + strconv.Itoa(heapMB) + "m",
		"--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED",
		"-Djava.net.preferIPv4Stack=true", "-Dhadoop.log.dir=" + filepath.Join(c.dir, "logs")}
	all = slices.Concat(all, c.o.Kerberos.javaOptions(), c.o.javaOptions(),
		[]string{"-cp", conf + ":" + c.lib + "/*", class}, args)
	cmd := exec.CommandContext(ctx, "java", all...)
	cmd.Dir = c.dir
	return cmd
}

// Run runs a main class against the cluster and returns its output.
func (c *Cluster) Run(ctx context.Context, class string, args ...string) ([]byte, error) {
	return output(c.java(ctx, c.ConfDir(), 1000, class, args...), class, args)
}

func output(cmd *exec.Cmd, class string, args []string) ([]byte, error) {
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.Bytes(), failure.New(failure.Failed, "run "+class, fmt.Sprint(args),
			fmt.Errorf("%w: %s", err, tail(errOut.Bytes(), 3000)))
	}
	return out.Bytes(), nil
}

// Stop stops all daemons, the NameNodes last. It waits until all daemons have exited and removes
// the network namespaces.
func (c *Cluster) Stop() {
	for _, p := range slices.Backward(c.parts) {
		p.stop()
	}
	c.network.remove()
	c.network = nil
}
