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

// defaultPort is the port of a NameNode if its configured address does not contain a port.
const defaultPort = "8020"

// Constructor returns a dfs.Constructor for a dfs.Set. All file systems that it creates act for the
// same caller, who. log receives messages for users and may be nil.
func Constructor(c *conf.Config, who security.Options, log func(text string)) dfs.Constructor {
	if who.User == "" {
		who.User = conf.JobUserName.Get(c)
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

// NewSecured is like New, but the caller is id, which can authenticate if the cluster requires it.
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

// FromConf returns the Options for an authority, as Hadoop's keys in c set them. The authority is
// "host", "host:port", or one of dfs.nameservices.
func FromConf(c *conf.Config, authority string) (Options, error) {
	o := Options{Authority: authority}
	if authority == "" {
		return o, failure.New(failure.Usage, "resolve", "hdfs:", errors.New("the path does not name a NameNode")).
			Fix("write hdfs://host:port/path or set fs.defaultFS")
	}
	if err := o.addresses(c); err != nil {
		return o, err
	}
	err := errors.Join(o.nameNode(c), o.transfer(c), o.files(c))
	return o, err
}

// addresses sets the NameNodes' addresses in o. For an HA pair, it also sets the name of the pair's
// service.
func (o *Options) addresses(c *conf.Config) error {
	service, err := nameService(c, o.Authority)
	if err != nil {
		return err
	}
	if service == "" {
		addr, err := withPort(o.Authority)
		if err != nil {
			return failure.New(failure.Usage, "resolve", "hdfs://"+o.Authority, err).
				Fix("write hdfs://host:port/path, or a name of dfs.nameservices")
		}
		o.NameNode.Addrs = []string{addr}
		return nil
	}
	keys := []*conf.Text{conf.DFSNameNodeRPCAddress.Suffix(service)}
	if ids := conf.DFSHANameNodes.Suffix(service).Get(c); len(ids) > 0 {
		o.NameNode.Service, keys = service, nil
		for _, id := range ids {
			keys = append(keys, conf.DFSNameNodeRPCAddress.Suffix(service+"."+id))
		}
	}
	for _, k := range keys {
		v := k.Get(c)
		if v == "" {
			return failure.New(failure.Config, "resolve", "hdfs://"+o.Authority, fmt.Errorf("%s is not set", k.Name)).
				Fix("set it to the NameNode's host:port")
		}
		addr, err := withPort(v)
		if err != nil {
			return c.Refuse(k.Name, err)
		}
		o.NameNode.Addrs = append(o.NameNode.Addrs, addr)
	}
	return nil
}

// nameService returns the name service that a URI's authority identifies, or "" if the authority is
// an address. An HA pair has no port, but like Hadoop, nameService accepts the default port.
func nameService(c *conf.Config, authority string) (string, error) {
	host, port, hasPort := strings.Cut(authority, ":")
	pair := len(conf.DFSHANameNodes.Suffix(host).Get(c)) > 0
	switch {
	case !slices.Contains(conf.DFSNameServices.Get(c), host) || hasPort && !pair:
		return "", nil
	case hasPort && port != defaultPort:
		return "", failure.New(failure.Usage, "resolve", "hdfs://"+authority,
			fmt.Errorf("%s is an HA pair, which has no port", host)).
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
		return "", fmt.Errorf("%q is not host:port", addr)
	}
	return net.JoinHostPort(host, port), nil
}

func (o *Options) nameNode(c *conf.Config) error {
	s := conf.Reader{Conf: c}
	n := &o.NameNode
	n.Connect = conf.IPCClientConnectTimeout.From(&s)
	n.Call = conf.IPCClientRPCTimeoutMS.From(&s)
	n.Ping = conf.IPCPingInterval.From(&s)
	n.Idle = conf.IPCClientConnectionMaxIdleTime.From(&s)
	n.MaxResponse = int(conf.IPCMaximumResponseLength.From(&s))
	tries := int(conf.IPCClientConnectMaxRetries.From(&s))
	n.Patience = max(1, conf.HDFSRetryTimeout.From(&s))
	n.FirstContact = max(1, time.Duration(tries)*conf.IPCClientConnectRetryInterval.From(&s))
	if conf.TaskAttemptID.Get(c) != "" {
		n.FirstContact = n.Patience // the client that submitted the job has already reached the NameNode
	}
	if n.SafeMode = conf.HDFSSafeModeTimeout.From(&s); n.SafeMode == 0 {
		n.SafeMode = -1
	}
	return s.Err
}

func (o *Options) transfer(c *conf.Config) error {
	s := conf.Reader{Conf: c}
	t := &o.Transfer
	t.Timeout = conf.DFSClientSocketTimeout.From(&s)
	t.UseHostname = conf.DFSClientUseDataNodeHostName.From(&s)
	t.CacheFor = conf.DFSClientSocketCacheExpiryMsec.From(&s)
	if t.CacheMax = int(conf.DFSClientSocketCacheCapacity.From(&s)); t.CacheMax == 0 {
		t.CacheMax = -1
	}
	return s.Err
}

func (o *Options) files(c *conf.Config) error {
	s := conf.Reader{Conf: c}
	o.Replication = int(conf.DFSReplication.From(&s))
	if c.IsDefault(conf.DFSReplication.Name) && strings.TrimSuffix(strings.TrimSpace(conf.FSDefaultFS.Get(c)),
		"/") == "hdfs://"+o.Authority {
		n, err := conf.HDFSDefaultReplication.GetOr(c, conf.DFSReplication.BuiltIn())
		o.Replication = int(n)
		s.Note(err)
	}
	o.BlockSize = conf.DFSBlockSize.From(&s)
	o.PacketSize = int(conf.DFSClientWritePacketSize.From(&s))
	o.Checksum.Chunk = int(conf.DFSBytesPerChecksum.From(&s))
	var err error
	o.Prefetch, err = conf.DFSClientReadPrefetchSize.GetOr(c, 10*o.BlockSize)
	s.Note(err)
	if o.Buffer = conf.HDFSWriteBuffer.From(&s); o.Buffer == 0 {
		o.Buffer = -1
	}
	o.Failures = int(conf.DFSClientMaxBlockAcquireFailures.From(&s))
	o.Pipelines = int(conf.DFSClientBlockWriteRetries.From(&s)) + 1
	switch v := strings.TrimSpace(conf.DFSChecksumType.Get(c)); v {
	case "", "CRC32C":
		o.Checksum.Type = transfer.CRC32C
	case "CRC32":
		o.Checksum.Type = transfer.CRC32
	default:
		s.Note(c.Refuse(conf.DFSChecksumType.Name, errors.New("want CRC32C or CRC32")))
	}
	if o.BlockSize%int64(o.Checksum.Chunk) != 0 {
		s.Note(c.Refuse(conf.DFSBlockSize.Name, fmt.Errorf("want a multiple of dfs.bytes-per-checksum, %d",
			o.Checksum.Chunk)))
	}
	o.Umask, err = umask(c)
	s.Note(err)
	return s.Err
}

// umask parses fs.permissions.umask-mode, which is octal or lists the allowed permissions as in
// "u=rwx,g=rx,o=".
func umask(c *conf.Config) (uint32, error) {
	const key = "fs.permissions.umask-mode"
	v := strings.TrimSpace(conf.FSPermissionsUmaskMode.Get(c))
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
