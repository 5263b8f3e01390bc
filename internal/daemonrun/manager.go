package daemonrun

import (
	"context"
	"regexp"
)

// Manager is a running manager of MR-clusters.
type Manager struct {
	*Process
	Address string // host:port for agents and commands
	Web     string // http://host:port
	Gossip  string // host:port
}

var managerReady = regexp.MustCompile(`^manager ready: address (\S+) web (\S+) gossip (\S+)$`)

// StartManager starts a manager (howdah mrcluster manager) and waits until it is ready.
func StartManager(ctx context.Context, c Command) (*Manager, error) {
	p, said, err := start(ctx, []string{"mrcluster", "manager"}, managerReady, c)
	if err != nil {
		return nil, err
	}
	return &Manager{Process: p, Address: said[0], Web: said[1], Gossip: said[2]}, nil
}
