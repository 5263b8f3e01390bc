package master

import (
	"context"
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/hdfs"
)

// HDFS returns a function that connects to NameNodes with the settings in c.
func HDFS(c *conf.Config) func(nameNode, nameNodeHTTP string) (Storage, error) {
	return func(nameNode, nameNodeHTTP string) (Storage, error) {
		set, err := schemes.Resolver(c, func(string) {})
		if err != nil {
			return nil, err
		}
		fs, _, err := set.Resolve(nameNode + "/")
		if err != nil {
			set.Close()
			return nil, err
		}
		h, ok := fs.(interface{ NameNode() *namenode.Client })
		if !ok {
			set.Close()
			return nil, failure.New(failure.Usage, "open", nameNode, errors.New("it is not an HDFS NameNode"))
		}
		return &hdfsStorage{Client: admin.New(h.NameNode()), web: nameNodeHTTP, set: set}, nil
	}
}

// hdfsStorage implements Storage with a real NameNode.
type hdfsStorage struct {
	*admin.Client
	web   string
	set   *dfs.Set
	hosts admin.Hosts
}

// Missing implements Storage.
func (h *hdfsStorage) Missing(ctx context.Context) (map[string]int, error) {
	return hdfs.Decommissioning(ctx, h.web)
}

// Decommission implements Storage.
func (h *hdfsStorage) Decommission(ctx context.Context, excludeFile string, addrs ...string) error {
	h.hosts.Exclude = excludeFile
	return h.hosts.Decommission(ctx, h.Client, addrs...)
}

// Join implements Storage.
func (h *hdfsStorage) Join(ctx context.Context, excludeFile string, addrs ...string) error {
	h.hosts.Exclude = excludeFile
	return h.hosts.Join(ctx, h.Client, addrs...)
}

// Close implements Storage.
func (h *hdfsStorage) Close() error { return h.set.Close() }
