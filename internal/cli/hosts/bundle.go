package hosts

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/howdah/howdah/build/cluster"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/shellwords"
	"github.com/howdah/howdah/job/failure"
)

// The default ports of the masters, and of gossip.
const (
	jobTrackerPort = "9001"
	managerPort    = "9011"
	gossipPort     = "7946"
)

// minSecret is the minimum size of a secret, in bytes.
const minSecret = 32

// dirPattern accepts absolute paths of at least two steps that need no quotes in any shell.
var dirPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/[A-Za-z0-9_][A-Za-z0-9_.-]*){2,}$`)
})

// ours are the settings that a cluster of hosts sets itself.
var ours = []string{conf.FrameworkName.Name, conf.JobTrackerAddress.Name, conf.TaskTrackerHostName.Name,
	conf.MRClusterManagerAddress.Name, conf.MRClusterAgentHost.Name, conf.MRClusterAgentName.Name}

// settings returns the cluster's configuration without the settings of single hosts. The paths in it
// are those on the hosts.
func (c *Cluster) settings() (*conf.Config, error) {
	for _, p := range c.Conf.Properties(true) {
		if slices.Contains(ours, p.Name) && strings.HasPrefix(p.Source, "-") {
			return nil, failure.New(failure.Usage, "read option", p.Source+" "+p.Name, nil).
				Fix("the host file determines this value")
		}
	}
	out := c.Conf.Clone()
	def := func(key, value string) {
		if c.Conf.IsDefault(key) {
			out.Set(key, value, "howdah cluster")
		}
	}
	must := func(key, value string) { out.Set(key, value, "howdah cluster") }
	first := master(c.Hosts).Name
	data := c.Dir + "/data"
	must(conf.SecuritySecretFile.Name, c.Dir+"/conf/secret")
	def(conf.JobTrackerHTTPAddress.Name, "0.0.0.0:50030")
	def(conf.TaskTrackerHTTPAddress.Name, "0.0.0.0:50060")
	if c.pool() {
		must(conf.MRClusterManagerAddress.Name, net.JoinHostPort(first, managerPort))
		def(conf.MRClusterManagerHTTPAddress.Name, "0.0.0.0:50090")
		def(conf.GossipAddress.Name, "0.0.0.0:"+gossipPort)
		def(conf.MRClusterManagerDir.Name, data+"/manager")
		def(conf.MRClusterAgentDir.Name, data+"/agent")
		return out, nil
	}
	must(conf.FrameworkName.Name, "classic")
	must(conf.JobTrackerAddress.Name, net.JoinHostPort(first, jobTrackerPort))
	def(conf.JobTrackerDir.Name, data+"/journal")
	def(conf.ClusterLocalDir.Name, data+"/local")
	if c.Shared != "" {
		def(conf.JobTrackerSystemDir.Name, "file:"+c.Shared+"/system")
		def(conf.JobTrackerStagingRootDir.Name, "file:"+c.Shared+"/staging")
	} else if local(conf.FSDefaultFS.Get(out)) && out.IsDefault(conf.JobTrackerSystemDir.Name) {
		return nil, failure.New(failure.Config, "set up hosts", "", errors.New("the hosts share no file system")).
			Fix("name a directory that all hosts mount (--shared DIR), or an HDFS (-fs hdfs://HOST:PORT)")
	}
	return out, nil
}

func local(uri string) bool { return uri == "" || strings.HasPrefix(uri, "file:") }

// forHost returns the configuration of one host.
func (c *Cluster) forHost(cfg *conf.Config, h Host) *conf.Config {
	out := cfg.Clone()
	if out.IsDefault(conf.HadoopTmpDir.Name) {
		out.Set(conf.HadoopTmpDir.Name, c.Dir+"/data/tmp", "howdah cluster")
	}
	set := func(key, value string) {
		if value != "" {
			out.Set(key, value, "host file")
		}
	}
	if h.runs(TaskTracker) {
		set(conf.TaskTrackerHostName.Name, h.Name)
		set(conf.TaskTrackerMapTasksMaximum.Name, h.Maps)
		set(conf.TaskTrackerReduceTasksMaximum.Name, h.Reduces)
	}
	if h.runs(Agent) {
		set(conf.MRClusterAgentName.Name, h.Name)
		set(conf.MRClusterAgentHost.Name, h.Name)
	}
	return out
}

// outside returns the paths outside the cluster's directory that a host's daemons use.
func (c *Cluster) outside(cfg *conf.Config, h Host) string {
	paths := append([]string{conf.HadoopTmpDir.Get(cfg)}, cfg.Strings(conf.ClusterLocalDir.Name)...)
	if h.runs(JobTracker) {
		paths = append(paths, conf.JobTrackerDir.Get(cfg))
		if c.Shared != "" {
			paths = append(paths, conf.JobTrackerSystemDir.Get(cfg), conf.JobTrackerStagingRootDir.Get(cfg))
		}
	}
	var b strings.Builder
	for _, p := range paths {
		p = path.Clean(strings.TrimPrefix(strings.TrimPrefix(p, "file:"), "//"))
		if dirPattern().MatchString(p) && !strings.HasPrefix(p, c.Dir+"/") {
			b.WriteString(p + "\n")
		}
	}
	return b.String()
}

// secret returns the cluster's secret: the one that the configuration names, or that an earlier init
// left in the clients' directory, or a new one.
func (c *Cluster) secret() (string, error) {
	file := cmp.Or(conf.SecuritySecretFile.Get(c.Conf), filepath.Join(c.Client, "secret"))
	b, err := auth.ReadPrivate(file, 1<<20)
	switch {
	case errors.Is(err, os.ErrNotExist) && conf.SecuritySecretFile.Get(c.Conf) == "":
		random := make([]byte, minSecret)
		_, _ = rand.Read(random)
		return hex.EncodeToString(random) + "\n", nil
	case err == nil && len(b) < minSecret:
		err = failure.New(failure.Config, "read secret", file, fmt.Errorf("it has fewer than %d bytes", minSecret))
	}
	return string(b), err
}

// id names the cluster that has this secret.
func id(secret string) string {
	sum := sha256.Sum256([]byte("howdah cluster " + secret))
	return hex.EncodeToString(sum[:8])
}

// writeClient writes the configuration for commands on this machine.
func (c *Cluster) writeClient(cfg *conf.Config, secret string) error {
	cfg = cfg.Clone()
	file := filepath.Join(c.Client, "secret")
	cfg.Set(conf.SecuritySecretFile.Name, file, "howdah cluster")
	var site bytes.Buffer
	err := errors.Join(cfg.WriteXML(&site, true), os.MkdirAll(c.Client, 0o700))
	if err == nil {
		err = errors.Join(os.WriteFile(file, []byte(secret), 0o600),
			os.WriteFile(filepath.Join(c.Client, dirFile), []byte(c.Dir+"\n"), 0o600),
			os.WriteFile(filepath.Join(c.Client, siteFile), site.Bytes(), 0o600))
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write configuration", c.Client, err)
	}
	return nil
}

const (
	siteFile = "mapred-site.xml"
	dirFile  = "dir" // contains the cluster's directory on the hosts
)

// removeClient removes what writeClient wrote, and the directory if it is then empty.
func (c *Cluster) removeClient() error {
	for _, name := range []string{"secret", dirFile, siteFile, ""} {
		file := filepath.Join(c.Client, name)
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return failure.New(failure.KindOf(err), "remove", file, err)
		}
	}
	return nil
}

// version names a program file by its content.
func version(program string) (string, error) {
	f, err := os.Open(program)
	if err != nil {
		return "", failure.New(failure.KindOf(err), "read program", program, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", failure.New(failure.KindOf(err), "read program", program, err)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// an archive is a tar file for a host's directory.
type archive struct {
	*tar.Writer
	err error // the first one
}

func (a *archive) add(name string, mode, size int64, content io.Reader) {
	if a.err == nil {
		a.err = a.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: size})
	}
	if a.err == nil {
		_, a.err = io.Copy(a, content)
	}
}

func (a *archive) text(name string, mode int64, text string) {
	a.add(name, mode, int64(len(text)), strings.NewReader(text))
}

func (a *archive) dir(names ...string) {
	for _, name := range names {
		if a.err == nil {
			a.err = a.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755})
		}
	}
}

// program adds a version's program and the script that supervises it.
func (a *archive) program(file, version string) {
	f, err := os.Open(file)
	if err != nil {
		a.err = cmp.Or(a.err, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		a.err = cmp.Or(a.err, err)
		return
	}
	a.dir("bin", "versions", "versions/"+version)
	a.text("bin/host.sh", 0o755, cluster.Script)
	a.add("versions/"+version+"/howdah", 0o755, info.Size(), f)
}

// config adds everything else that a host needs. build/cluster/host.sh describes the layout.
func (c *Cluster) config(a *archive, cfg *conf.Config, h Host, secret string) {
	var site bytes.Buffer
	own := c.forHost(cfg, h)
	files := map[string]string{}
	for key, file := range c.Files {
		files[filepath.Base(file)] = file
		own.Set(key, c.Dir+"/conf/"+filepath.Base(file), "howdah cluster")
	}
	a.err = cmp.Or(a.err, own.WriteXML(&site, true))
	a.dir("conf", "daemons", "units", "data")
	a.text("conf/"+siteFile, 0o644, site.String())
	a.text("conf/secret", 0o600, secret)
	for name, file := range files {
		b, err := os.ReadFile(file)
		a.err = cmp.Or(a.err, err)
		a.text("conf/"+name, 0o644, string(b))
	}
	for _, name := range h.Daemons {
		words := []string{"exec", c.Dir + "/bin/" + name, "--config", c.Dir + "/conf"}
		switch name {
		case Manager:
			words = append(words, "mrcluster", name)
		case Agent:
			words = append(words, "mrcluster", name, "--join", net.JoinHostPort(master(c.Hosts).Name, gossipPort))
		default:
			words = append(words, name)
		}
		a.text("daemons/"+name, 0o755, "#!/bin/sh\n"+shellwords.Join(words)+"\n")
		a.text("units/howdah-"+name+".service", 0o644,
			strings.NewReplacer("@DIR@", c.Dir, "@NAME@", name).Replace(cluster.Unit))
	}
	a.text("outside", 0o644, c.outside(own, h))
	a.text("cluster", 0o644, id(secret)+"\n") // last: it marks a complete directory
}
