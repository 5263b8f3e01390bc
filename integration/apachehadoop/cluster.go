package apachehadoop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Options tune a cluster; the zero value has HDFS only.
type Options struct {
	YARN       bool      // ResourceManager and NodeManager too
	TaskHeapMB int       // Java heap of a task; 0 = 800
	Kerberos   *Kerberos // nil = an open cluster
}

// Cluster is a Hadoop that runs: NameNode and DataNode, and YARN where it was asked for.
type Cluster struct {
	o        Options
	dir, lib string
	nameNode string
	daemons  []*daemon // in order of start
}

// daemon is one Java process of the cluster.
type daemon struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

// The main classes.
const (
	Examples = "org.apache.hadoop.examples.ExampleDriver"
	Shell    = "org.apache.hadoop.fs.FsShell"

	nameNodeClass        = "org.apache.hadoop.hdfs.server.namenode.NameNode"
	dataNodeClass        = "org.apache.hadoop.hdfs.server.datanode.DataNode"
	resourceManagerClass = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
	nodeManagerClass     = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
)

// startTimeout is how long each daemon may take until its log says that it is ready.
const startTimeout = 90 * time.Second

// Start formats a file system below dir, which must be new, and starts the daemons. Stop them when done.
func Start(ctx context.Context, dir string, o Options) (*Cluster, error) {
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
	c := &Cluster{o: o, dir: dir, lib: lib}
	if err := o.Kerberos.prepare(ctx, filepath.Base(dir)); err != nil {
		return nil, err
	}
	if err := c.configure(); err != nil {
		return nil, err
	}
	if out, err := c.java(ctx, 300, nameNodeClass, "-format", "-nonInteractive").CombinedOutput(); err != nil {
		return nil, failure.New(failure.IO, "format HDFS in", dir, fmt.Errorf("%w: %s", err, tail(out, 2000)))
	}
	if err := c.startAll(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) startAll(ctx context.Context) error {
	steps := []struct{ name, class, watch, ready string }{
		{"namenode", nameNodeClass, "namenode", `RPC up at|IPC Server listener on \d+: starting`},
		{"datanode", dataNodeClass, "namenode", `registerDatanode`},
	}
	if c.o.YARN {
		steps = append(steps, struct{ name, class, watch, ready string }{"resourcemanager", resourceManagerClass, "resourcemanager", `Transitioned to active state`},
			struct{ name, class, watch, ready string }{"nodemanager", nodeManagerClass, "nodemanager", `Registered with ResourceManager`})
	}
	for _, s := range steps {
		if err := c.startDaemon(ctx, s.name, s.class); err != nil {
			return err
		}
		if err := c.await(ctx, s.name, s.watch, regexp.MustCompile(s.ready)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) confDir() string { return filepath.Join(c.dir, "conf") }

// URI gives the root of HDFS.
func (c *Cluster) URI() string { return c.nameNode }

// java prepares a Java process with Hadoop's class path.
func (c *Cluster) java(ctx context.Context, heapMB int, class string, args ...string) *exec.Cmd {
	all := slices.Concat([]string{"-Xmx" + strconv.Itoa(heapMB) + "m", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED",
		"-Djava.net.preferIPv4Stack=true", "-Dhadoop.log.dir=" + filepath.Join(c.dir, "logs"), "-cp", c.confDir() + ":" + c.lib + "/*"},
		c.o.Kerberos.javaOptions(), []string{class}, args)
	cmd := exec.CommandContext(ctx, "java", all...)
	cmd.Dir = c.dir
	return cmd
}

func (c *Cluster) logFile(name string) string { return filepath.Join(c.dir, "logs", name+".log") }

func (c *Cluster) startDaemon(ctx context.Context, name, class string) error {
	log, err := os.Create(c.logFile(name))
	if err != nil {
		return failure.New(failure.KindOf(err), "write log of", name, err)
	}
	defer log.Close()
	cmd := c.java(context.WithoutCancel(ctx), 500, class)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return failure.New(failure.KindOf(err), "start", name, err)
	}
	d := &daemon{name, cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(d.done)
	}()
	c.daemons = append(c.daemons, d)
	return nil
}

// await waits until a log shows that a daemon is ready.
func (c *Cluster) await(ctx context.Context, name, watch string, ready *regexp.Regexp) error {
	d := c.daemons[len(c.daemons)-1]
	for end := time.Now().Add(startTimeout); time.Now().Before(end); {
		b, err := os.ReadFile(c.logFile(watch))
		if err == nil && ready.Match(b) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.done:
			b, _ := os.ReadFile(c.logFile(name))
			return failure.New(failure.Node, "start", name, errors.New(tail(b, 3000)))
		case <-time.After(100 * time.Millisecond):
		}
	}
	return failure.New(failure.Timeout, "start", name, fmt.Errorf("its log %s does not say that it is ready", c.logFile(watch)))
}

// Run runs a main class against the cluster and gives what it wrote.
func (c *Cluster) Run(ctx context.Context, class string, args ...string) ([]byte, error) {
	return output(c.java(ctx, 1000, class, args...), class, args)
}

// RunLocal runs an example with Hadoop's local runner on local files, two maps and two reduces at a time.
func RunLocal(ctx context.Context, dir, example string, args ...string) ([]byte, error) {
	lib, err := Jars(ctx)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, lib: lib}
	if err := os.MkdirAll(c.confDir(), 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "make directory", c.confDir(), err)
	}
	// Generic options follow the name of the example.
	all := append([]string{example, "-D", "mapreduce.framework.name=local", "-fs", "file:///", "-D", "hadoop.tmp.dir=" + filepath.Join(dir, "tmp"),
		"-D", "mapreduce.local.map.tasks.maximum=2", "-D", "mapreduce.local.reduce.tasks.maximum=2"}, args...)
	return output(c.java(ctx, 2500, Examples, all...), Examples, all)
}

func output(cmd *exec.Cmd, class string, args []string) ([]byte, error) {
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.Bytes(), failure.New(failure.Failed, "run "+class, fmt.Sprint(args), fmt.Errorf("%w: %s", err, tail(errOut.Bytes(), 3000)))
	}
	return out.Bytes(), nil
}

// Stop ends all daemons, the last started first, and waits until they have gone.
func (c *Cluster) Stop() {
	for _, d := range slices.Backward(c.daemons) {
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-d.done:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
			<-d.done
		}
	}
	c.daemons = nil
}
