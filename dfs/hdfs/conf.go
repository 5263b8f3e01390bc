package hdfs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

// The keys of where NameNodes are. Those of a name service have its name behind them, and the NameNode's name behind that.
const (
	keyNameServices = "dfs.nameservices"
	keyNameNodes    = "dfs.ha.namenodes"
	keyRPCAddress   = "dfs.namenode.rpc-address"
)

// KeyDefaultReplication is how many replicas new files have on the HDFS of fs.defaultFS where nobody sets dfs.replication. Of another HDFS,
// which is named with its address, it says nothing.
const KeyDefaultReplication = "howdah.hdfs.default.replication"

// KeySafeMode is how long calls wait for the end of safe mode, in ms. A job waits; somebody at a terminal would rather know.
const KeySafeMode = "howdah.hdfs.safemode.timeout"

// defaultPort is where NameNodes listen.
const defaultPort = "8020"

// Constructor makes the file systems of name services for a dfs.Set, all in the name of one caller. log hears of what users should
// know; nil = nobody does.
func Constructor(c *conf.Config, who security.Options, log func(text string)) dfs.Constructor {
	if who.User == "" {
		who.User = c.Get("mapreduce.job.user.name")
	}
	identity := sync.OnceValues(func() (*security.Identity, error) { return security.New(c, who) })
	return func(authority string) (dfs.FileSystem, error) {
		o, err := FromConf(c, authority)
		if err != nil {
			return nil, err
		}
		id, err := identity()
		if err != nil {
			return nil, err
		}
		o.Log = log
		return NewSecured(o, id), nil
	}
}

// NewSecured makes the file system for a caller who can prove who he is where the cluster wants that.
func NewSecured(o Options, id *security.Identity) *FS {
	var f *FS
	o.NameNode.User = id.SimpleUser()
	if id.Secured() {
		o.NameNode.Security = id
	}
	o.Transfer.Security = id.Data()
	o.Transfer.Key = func(ctx context.Context) (*transfer.EncryptionKey, error) { return security.FetchKey(ctx, f.nn) }
	f = New(o)
	f.id = id
	return f
}

// FromConf reads what Hadoop's keys say of a name service: "host", "host:port", or one of dfs.nameservices.
func FromConf(c *conf.Config, authority string) (Options, error) {
	o := Options{Authority: authority}
	if authority == "" {
		return o, failure.New(failure.Usage, "resolve", "hdfs:", errors.New("no NameNode is named")).
			Fix("write hdfs://host:port/path or set fs.defaultFS")
	}
	if err := o.addresses(c); err != nil {
		return o, err
	}
	err := errors.Join(o.nameNode(c), o.transfer(c), o.files(c))
	return o, err
}

// addresses finds the NameNodes.
func (o *Options) addresses(c *conf.Config) error {
	service, err := nameService(c, o.Authority)
	if err != nil {
		return err
	}
	if service == "" {
		addr, err := withPort(o.Authority)
		if err != nil {
			return failure.New(failure.Usage, "resolve", "hdfs://"+o.Authority, err).Fix("write hdfs://host:port/path, or a name of dfs.nameservices")
		}
		o.NameNode.Addrs = []string{addr}
		return nil
	}
	keys := []string{keyRPCAddress + "." + service}
	if ids := c.Strings(keyNameNodes + "." + service); len(ids) > 0 {
		o.NameNode.Service, keys = service, nil
		for _, id := range ids {
			keys = append(keys, keyRPCAddress+"."+service+"."+id)
		}
	}
	for _, k := range keys {
		v := c.Get(k)
		if v == "" {
			return failure.New(failure.Config, "resolve", "hdfs://"+o.Authority, fmt.Errorf("%s is not set", k)).Fix("set it to the NameNode's host:port")
		}
		addr, err := withPort(v)
		if err != nil {
			return c.Refuse(k, err)
		}
		o.NameNode.Addrs = append(o.NameNode.Addrs, addr)
	}
	return nil
}

// nameService gives the name of a service that the authority of a URI means, "" if it is an address. An HA pair has no port; the
// default one is taken for none, as Hadoop does.
func nameService(c *conf.Config, authority string) (string, error) {
	host, port, hasPort := strings.Cut(authority, ":")
	pair := len(c.Strings(keyNameNodes+"."+host)) > 0
	switch {
	case !slices.Contains(c.Strings(keyNameServices), host) || hasPort && !pair:
		return "", nil
	case hasPort && port != defaultPort:
		return "", failure.New(failure.Usage, "resolve", "hdfs://"+authority, fmt.Errorf("%s is an HA pair, which has no port", host)).
			Fix("write hdfs://" + host)
	}
	return host, nil
}

func withPort(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host, port = strings.Trim(addr, "[]"), defaultPort
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || host == "" || strings.ContainsAny(host, " /@") {
		return "", fmt.Errorf("%q is no host:port", addr)
	}
	return net.JoinHostPort(host, port), nil
}

// settings reads values and keeps the first error.
type settings struct {
	c   *conf.Config
	err error
}

func (s *settings) millis(key string, def, min, max time.Duration) time.Duration {
	v, err := s.c.Duration(key, def, time.Millisecond, min, max)
	s.keep(err)
	return v
}

func (s *settings) count(key string, def, min, max int64) int {
	v, err := s.c.Int(key, def, min, max)
	s.keep(err)
	return int(v)
}

func (s *settings) size(key string, def, min, max int64) int64 {
	v, err := s.c.Size(key, def, min, max)
	s.keep(err)
	return v
}

func (s *settings) flag(key string) bool {
	v, err := s.c.Bool(key, false)
	s.keep(err)
	return v
}

func (s *settings) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (o *Options) nameNode(c *conf.Config) error {
	s := settings{c: c}
	n := &o.NameNode
	n.Connect = s.millis("ipc.client.connect.timeout", 20*time.Second, time.Millisecond, time.Hour)
	n.Call = s.millis("ipc.client.rpc-timeout.ms", 120*time.Second, 100*time.Millisecond, 24*time.Hour)
	n.Ping = s.millis("ipc.ping.interval", time.Minute, 100*time.Millisecond, time.Hour)
	n.Idle = s.millis("ipc.client.connection.maxidletime", 10*time.Second, 10*time.Millisecond, time.Hour)
	n.MaxResponse = int(s.size("ipc.maximum.response.length", 128<<20, 64<<10, 2<<30-1))
	tries := s.count("ipc.client.connect.max.retries", 10, 0, 1_000_000)
	n.Patience = max(1, s.millis("howdah.hdfs.retry.timeout", 2*time.Minute, 0, 24*time.Hour))
	n.FirstContact = max(1, time.Duration(tries)*s.millis("ipc.client.connect.retry.interval", time.Second, time.Millisecond, time.Hour))
	if c.Get("mapreduce.task.attempt.id") != "" {
		n.FirstContact = n.Patience // whoever submitted the job had reached the NameNode
	}
	if n.SafeMode = s.millis(KeySafeMode, 2*time.Minute, 0, 24*time.Hour); n.SafeMode == 0 {
		n.SafeMode = -1
	}
	return s.err
}

func (o *Options) transfer(c *conf.Config) error {
	s := settings{c: c}
	t := &o.Transfer
	t.Timeout = s.millis("dfs.client.socket-timeout", time.Minute, 10*time.Millisecond, 24*time.Hour)
	t.UseHostname = s.flag("dfs.client.use.datanode.hostname")
	t.CacheFor = s.millis("dfs.client.socketcache.expiryMsec", 3*time.Second, time.Millisecond, time.Hour)
	if t.CacheMax = s.count("dfs.client.socketcache.capacity", 16, 0, 4096); t.CacheMax == 0 {
		t.CacheMax = -1
	}
	return s.err
}

func (o *Options) files(c *conf.Config) error {
	s := settings{c: c}
	o.Replication = s.count("dfs.replication", 3, 1, 512)
	if c.IsDefault("dfs.replication") && strings.TrimSuffix(strings.TrimSpace(c.Get("fs.defaultFS")), "/") == "hdfs://"+o.Authority {
		o.Replication = s.count(KeyDefaultReplication, 3, 1, 512)
	}
	o.BlockSize = s.size("dfs.blocksize", 128<<20, 512, 1<<40)
	o.PacketSize = int(s.size("dfs.client-write-packet-size", 64<<10, 512, 8<<20))
	o.Checksum.Chunk = int(s.size("dfs.bytes-per-checksum", 512, 1, 1<<20))
	o.Prefetch = s.size("dfs.client.read.prefetch.size", 10*o.BlockSize, 1, 1<<50)
	if o.Buffer = s.size("howdah.hdfs.write.buffer", 64<<20, 0, 1<<40); o.Buffer == 0 {
		o.Buffer = -1
	}
	o.Failures = s.count("dfs.client.max.block.acquire.failures", 3, 0, 100)
	o.Pipelines = s.count("dfs.client.block.write.retries", 3, 0, 100) + 1
	switch v := strings.TrimSpace(c.Get("dfs.checksum.type")); v {
	case "", "CRC32C":
		o.Checksum.Type = transfer.CRC32C
	case "CRC32":
		o.Checksum.Type = transfer.CRC32
	default:
		s.keep(c.Refuse("dfs.checksum.type", errors.New("want CRC32C or CRC32")))
	}
	if o.BlockSize%int64(o.Checksum.Chunk) != 0 {
		s.keep(c.Refuse("dfs.blocksize", fmt.Errorf("want a multiple of dfs.bytes-per-checksum, %d", o.Checksum.Chunk)))
	}
	var err error
	o.Umask, err = umask(c)
	s.keep(err)
	return s.err
}

// umask reads fs.permissions.umask-mode: octal, or symbols that say what is allowed, as "u=rwx,g=rx,o=".
func umask(c *conf.Config) (uint32, error) {
	const key = "fs.permissions.umask-mode"
	v := strings.TrimSpace(c.Get(key))
	if n, err := strconv.ParseUint(v, 8, 32); err == nil && n <= 0o777 {
		return uint32(n), nil
	}
	mask := uint32(0o777)
	for _, part := range strings.Split(v, ",") {
		who, what, ok := strings.Cut(part, "=")
		shift, known := map[string]uint{"u": 6, "g": 3, "o": 0}[who]
		if !ok || !known || strings.Trim(what, "rwx-") != "" {
			return 0, c.Refuse(key, errors.New("want octal digits, or u=rwx,g=rx,o=rx"))
		}
		for bit, letter := range map[uint32]string{4: "r", 2: "w", 1: "x"} {
			if strings.Contains(what, letter) {
				mask &^= bit << shift
			}
		}
	}
	return mask, nil
}
