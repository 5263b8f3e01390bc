package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// timeout bounds a command; one that makes a container may have to fetch its image.
const timeout = 10 * time.Minute

// docker runs a command to its end and gives what it printed.
func (b *Backend) docker(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.cfg.Docker, args...)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	what := b.cfg.Docker + " " + strings.Join(args[:min(2, len(args))], " ")
	text := strings.TrimSpace(told.String())
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", failure.New(failure.NotFound, "run", what, err).Fix("install Docker, or choose another howdah.mrcluster.backend")
	case ctx.Err() != nil:
		return "", failure.New(failure.KindOf(ctx.Err()), "run", what, ctx.Err())
	case strings.Contains(text, "Cannot connect to the Docker daemon") || strings.Contains(text, "permission denied"):
		return "", failure.New(failure.Unreachable, "run", what, errors.New(text)).Fix("start dockerd, and let this user talk to it")
	}
	return "", failure.New(failure.Failed, "run", what, fmt.Errorf("%w: %s", err, text[max(0, len(text)-1000):]))
}
