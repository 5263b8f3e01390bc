//go:build integration

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/integration/bench/measure"
	"github.com/howdah/howdah/internal/daemonrun"
)

// side is howdah at one of the two revisions.
type side struct {
	revision, commit string
	dir              string                 // worktree, and files below bin
	cluster          *daemonrun.Minicluster // nil = none
}

const stopTimeout = time.Minute

func (s *side) howdah() string { return filepath.Join(s.dir, "bin", "howdah") }

// start builds the revision and, if cluster is set, starts a minicluster. If start succeeds, the
// caller must call stop.
func (s *side) start(ctx context.Context, cluster bool) error {
	_, _, err := measure.Run(exec.CommandContext(ctx, "git", "worktree", "add", "--detach", s.dir, s.revision))
	if err != nil {
		return err
	}
	err = s.build(ctx)
	if err == nil && cluster {
		s.cluster, err = daemonrun.StartMinicluster(ctx, daemonrun.Command{Program: s.howdah(),
			Args: []string{"--tasktrackers", "2", "--dir", filepath.Join(s.dir, "bin", "cluster")}, Log: os.Stderr})
	}
	if err != nil {
		s.stop()
	}
	return err
}

// build builds the revision with its own Makefile.
func (s *side) build(ctx context.Context) error {
	_, out, err := measure.Run(exec.CommandContext(ctx, "git", "-C", s.dir, "rev-parse", "--short", "HEAD"))
	if err != nil {
		return err
	}
	s.commit = string(bytes.TrimSpace(out))
	build := exec.CommandContext(ctx, "make", "-C", s.dir, "build")
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "MAKE") && !strings.HasPrefix(e, "MFLAGS=") {
			build.Env = append(build.Env, e)
		}
	}
	_, _, err = measure.Run(build)
	return err
}

func (s *side) stop() {
	if s.cluster != nil {
		s.cluster.Stop(stopTimeout)
	}
	_ = exec.Command("git", "worktree", "remove", "--force", s.dir).Run()
}
