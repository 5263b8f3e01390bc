package daemonrun

import (
	"context"
	"regexp"
)

// Minicluster is a running minicluster in which all TaskTrackers have joined.
type Minicluster struct {
	*Process
	Conf       string // configuration directory for commands
	JobTracker string // host:port
	Web        string // http://host:port of the JobTracker
}

var miniclusterReady = regexp.MustCompile(`^minicluster ready: config (\S+) jobtracker (\S+) web (\S+)$`)

// StartMinicluster starts a minicluster and waits until all its TaskTrackers have joined.
func StartMinicluster(ctx context.Context, c Command) (*Minicluster, error) {
	p, said, err := start(ctx, []string{"minicluster"}, miniclusterReady, c)
	if err != nil {
		return nil, err
	}
	return &Minicluster{Process: p, Conf: said[0], JobTracker: said[1], Web: said[2]}, nil
}
