package node

import (
	"context"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/hdfs"
)

// Names of the services of an MR-cluster's own HDFS.
const (
	nameNodeName = "namenode"
	dataNodeName = "datanode"
)

// daemon returns the configuration of the named HDFS daemon on this node.
func (s *services) daemon(want mrcluster.Desired, name, nameNode string) hdfs.Daemon {
	return hdfs.Daemon{Dir: s.path("hdfs", name), NameNode: nameNode, Replication: want.Spec.Replicas(),
		Settings: s.wishes(want).Properties(true)}
}

func (s *services) nameNode(want mrcluster.Desired) (role, bool) {
	hdfs := s.node.hdfs
	return role{name: nameNodeName, ports: 2,
		prepare: func(ctx context.Context, addrs []string) ([]string, error) {
			format, command, err := hdfs.NameNode(s.daemon(want, nameNodeName, addrs[0]), addrs[1])
			if err == nil && format != nil {
				err = s.get(nameNodeName).run(ctx, format)
			}
			return command, err
		},
		ready: nameNodeReady,
		publish: func(e *Endpoints, addrs []string) {
			e.NameNode, e.NameNodeHTTP = "hdfs://"+addrs[0], addrs[1]
			e.ExcludeFile = s.daemon(want, nameNodeName, addrs[0]).ExcludeFile()
		},
	}, true
}

func nameNodeReady(ctx context.Context, addrs []string) error {
	return hdfs.NameNodeReady(ctx, addrs[0], addrs[1])
}

// dataNode returns the role of the DataNode and reports whether the DataNode can start now, which
// requires the NameNode's address.
func (s *services) dataNode(want mrcluster.Desired) (role, bool) {
	uri := s.master.NameNode
	return role{name: dataNodeName, ports: 3, depends: uri,
		prepare: func(_ context.Context, addrs []string) ([]string, error) {
			return s.node.hdfs.DataNode(s.daemon(want, dataNodeName, authority(uri)), s.node.cfg.Name, addrs[0],
				addrs[1], addrs[2])
		},
		ready:   func(ctx context.Context, addrs []string) error { return hdfs.DataNodeReady(ctx, addrs[2]) },
		publish: func(e *Endpoints, addrs []string) { e.DataNode = addrs[0] },
	}, uri != ""
}
