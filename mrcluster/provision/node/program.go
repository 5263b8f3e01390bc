package node

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// KeyPrograms is the configuration key of the programs that other users' requests may run as the
// agent's user.
const KeyPrograms = "howdah.mrcluster.programs"

// program returns the path of the program whose command starts a daemon of an MR-cluster. The daemons
// run as the agent's user, so another user's request may name only a program that KeyPrograms allows.
func (n *Node) program(spec *mrcluster.Spec, command string) (string, error) {
	switch {
	case spec.Binary == "":
		return cmp.Or(n.cfg.Own[command], n.cfg.Program), nil
	}
	file := spec.Binary
	if spec.User != passwd.Me() {
		var err error
		if file, err = n.allowed(file); err != nil {
			return "", failure.New(failure.Permission, "run", spec.Binary, err).
				Fix("add it to " + conf.MRClusterPrograms.Name + " of the agents, or create the MR-cluster without --binary")
		}
	}
	if !executable(file) {
		return "", failure.New(failure.NotFound, "run", file, errors.New("the program does not exist on this node"))
	}
	return file, nil
}

// allowed returns the path of a program with all links resolved, because links could change later.
// It returns an error if KeyPrograms lists neither the program nor a directory above it.
func (n *Node) allowed(file string) (string, error) {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		for _, p := range n.cfg.Programs {
			p, err := filepath.EvalSymlinks(p)
			if err == nil && filepath.IsAbs(p) && (target == p || strings.HasPrefix(target, strings.TrimSuffix(p, "/")+"/")) {
				return target, nil
			}
		}
	}
	return "", fmt.Errorf("%s may run only its own programs as user %s", conf.MRClusterPrograms.Name, passwd.Me())
}

func executable(file string) bool {
	i, err := os.Stat(file)
	return err == nil && i.Mode().IsRegular() && i.Mode().Perm()&0o111 != 0
}
