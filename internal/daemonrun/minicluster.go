package daemonrun

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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

// PID returns the process ID of a part, such as "jobtracker" or "tasktracker-1", of the minicluster in
// dir.
func PID(dir, part string) (int, error) {
	b, err := os.ReadFile(filepath.Join(dir, "pids", part))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}
