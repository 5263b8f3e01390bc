package daemon

import (
	"errors"
	"net"

	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/job/failure"
)

// finder finds an agent's manager through gossip or, failing that, in the configuration.
type finder struct {
	addr string       // configured address; "" = none
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
	return "", failure.New(failure.Unreachable, "find the manager of MR-clusters", "by gossip",
		errors.New("no gossip member is a manager yet")).
		Fix("check --join (howdah.gossip.join), and use the manager's secret " +
			"(howdah.security.secret.file, howdah.gossip.key.file)")
}

func (f *finder) close() {
	if f.node != nil {
		f.node.Leave()
	}
}

// host returns the host part of an address. If the address has no port, it returns the whole text.
func host(addr string) string {
	h, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return h
}
