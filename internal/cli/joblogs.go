package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// jobLogs prints the logs of all attempts of a job, or of one attempt. It reads them from the
// TaskTrackers' web servers.
func (s *session) jobLogs(ctx context.Context, jobs *jobclient.Client, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return usageError("howdah job -logs ID [ATTEMPT]")
	}
	j, err := ask(ctx, jobs, args[0], true)
	if err != nil {
		return err
	}
	found := false
	var failed error
	for _, a := range j.Attempts {
		if len(args) == 2 && a.ID.String() != args[1] {
			continue
		}
		found = true
		if err := s.attemptLogs(ctx, jobs, a); err != nil {
			failed = err
			fmt.Fprintf(s.err, "howdah: %v\n", err)
		}
	}
	switch {
	case !found && len(args) == 2:
		return failure.New(failure.NotFound, "find attempt", args[1],
			nil).Fix("howdah job -list-attempt-ids lists the attempts of " + args[0])
	case failed != nil:
		return silent{failure.KindOf(failed).ExitCode()}
	}
	return nil
}

func (s *session) attemptLogs(ctx context.Context, jobs *jobclient.Client, a *status.Attempt) error {
	for _, name := range jobclient.Logs {
		if err := s.oneLog(ctx, jobs, a, name); err != nil {
			return err
		}
	}
	return s.profile(ctx, jobs, a)
}

// profile prints the location of the attempt's profile, if it has one. It does not print the
// profile itself, which is not text.
func (s *session) profile(ctx context.Context, jobs *jobclient.Client, a *status.Attempt) error {
	log, err := jobs.OpenLog(ctx, a, "profile", 0)
	if log == nil || err != nil {
		return err
	}
	defer log.Close()
	_, err = fmt.Fprintf(s.out, "%s profile.out: %d bytes; go tool pprof '%s'\n", a.ID, log.Size, log.URL)
	return err
}

func (s *session) oneLog(ctx context.Context, jobs *jobclient.Client, a *status.Attempt, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	log, err := jobs.OpenLog(ctx, a, name, 0)
	if log == nil || err != nil {
		return err
	}
	defer log.Close()
	fmt.Fprintf(s.out, "%s %s:\n", a.ID, name)
	if _, err := io.Copy(s.out, log); err != nil {
		return failure.New(failure.IO, "read logs of", a.ID.String(), err)
	}
	_, err = fmt.Fprintln(s.out)
	return err
}
