package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// drainTracker begins to empty a TaskTracker, waits until it is empty, or lets it work again.
func drainTracker(ctx context.Context, jobs client.JobsClient, user string, args []string) (string, error) {
	if args[1] == "wait" {
		return awaitDrain(ctx, jobs, args[0])
	}
	t, err := jobs.DrainTracker(ctx, &client.DrainRequest{Tracker: args[0], How: args[1], Why: "by user " + user, User: user})
	if err != nil {
		return "", err
	}
	return args[0] + ": " + drainText(t.Drain), nil
}

// drainText tells how far a drain is.
func drainText(d *client.DrainStatus) string {
	switch {
	case d == nil:
		return "not drained"
	case d.DoneMs > 0:
		return "drained: it may be stopped"
	}
	return fmt.Sprintf("draining (%s): %d attempts, %d map outputs in use", d.How, d.Attempts, d.Outputs)
}

// awaitDrain waits until a TaskTracker may be stopped. One that is gone was given up, with all that it had.
func awaitDrain(ctx context.Context, jobs client.JobsClient, name string) (string, error) {
	for {
		r, err := jobs.Cluster(ctx, &client.Empty{})
		if err != nil {
			return "", err
		}
		t := findTracker(r, name)
		switch {
		case t == nil:
			return "", failure.New(failure.NotFound, "wait for the drain of", name, errors.New("there is no live tracker of that name")).
				Fix("howdah job -list-active-trackers tells the names")
		case t.Drain == nil:
			return "", failure.New(failure.Stale, "wait for the drain of", name, errors.New("it is not being drained")).
				Fix("howdah admin -drainTracker " + name + " delayed begins it")
		case t.Drain.DoneMs > 0:
			return name + ": " + drainText(t.Drain), nil
		}
		if err := lifecycle.Sleep(ctx, time.Second); err != nil {
			return "", err
		}
	}
}

func findTracker(r *client.ClusterStatus, name string) *client.TrackerStatus {
	for _, t := range r.Tracker {
		if t.Name == name {
			return t
		}
	}
	return nil
}
