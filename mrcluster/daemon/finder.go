package daemon

import (
	"errors"
	"net"

	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/job/failure"
)

// finder tells an agent where its manager is: gossip says so, else the configuration.
type finder struct {
	addr string       // configured; "" = none
	node *gossip.Node // nil = no gossip
}

func (f *finder) find() (string, error) {
	if f.node != nil {
		if m, ok := f.node.Find(gossip.Manager); ok {
			return m.RPC, nil
		}
	}
	if f.addr != "" {
		return f.addr, nil
	}
	return "", failure.New(failure.Unreachable, "find the manager of MR-clusters", "by gossip", errors.New("no member is one yet")).
		Fix("check --join (howdah.gossip.join) and that howdah.gossip.key.file is the manager's")
}

func (f *finder) close() {
	if f.node != nil {
		f.node.Leave()
	}
}

// host gives the host part of an address, or what is there.
func host(addr string) string {
	h, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return h
}
