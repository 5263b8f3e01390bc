package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// drainTracker starts to drain a TaskTracker, waits until it is drained, or cancels the drain.
func drainTracker(ctx context.Context, jobs *jobclient.Client, user string, args []string) (string, error) {
	if args[1] == "wait" {
		return awaitDrain(ctx, jobs, args[0])
	}
	d, err := jobs.DrainTracker(ctx, args[0], status.DrainMode(args[1]), "by user "+user)
	if err != nil {
		return "", err
	}
	return args[0] + ": " + drainText(d), nil
}

// drainText describes the progress of a drain. d is nil if the TaskTracker is not being drained.
func drainText(d *status.Drain) string {
	switch {
	case d == nil:
		return "not drained"
	case d.DoneMs > 0:
		return "drained: it can be stopped"
	}
	return fmt.Sprintf("draining (%s): %s, %s in use", d.How, plural.Of(d.Attempts, "attempt"),
		plural.Of(d.Outputs, "map output"))
}

// awaitDrain waits until it is safe to stop a TaskTracker. It returns an error if the TaskTracker
// is not being drained, or if it is not live, because then its data may be lost.
func awaitDrain(ctx context.Context, jobs *jobclient.Client, name string) (string, error) {
	for {
		r, err := jobs.Cluster(ctx)
		if err != nil {
			return "", err
		}
		t := r.Tracker(name)
		switch {
		case t == nil:
			return "", failure.New(failure.NotFound, "wait for the drain of", name,
				errors.New("no live TaskTracker has this name")).
				Fix("howdah job -list-active-trackers lists the names")
		case t.Drain == nil:
			return "", failure.New(failure.Stale, "wait for the drain of", name, errors.New("it is not being drained")).
				Fix("howdah admin -drainTracker " + name + " delayed starts a drain")
		case t.Drain.DoneMs > 0:
			return name + ": " + drainText(t.Drain), nil
		}
		if err := lifecycle.Sleep(ctx, time.Second); err != nil {
			return "", err
		}
	}
}
