package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// logNames are the files of an attempt, as Hadoop calls them.
var logNames = []string{"stdout", "stderr", "syslog", "debugout"}

// jobLogs prints the logs of all attempts of a job, or of one. They come from the TaskTrackers' web servers.
func (s *session) jobLogs(ctx context.Context, jobs client.JobsClient, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return usageError("howdah job -logs ID [ATTEMPT]")
	}
	j, err := status(ctx, jobs, args[0], true)
	if err != nil {
		return err
	}
	found := false
	var failed error
	for _, a := range j.Attempt {
		if len(args) == 2 && a.Id != args[1] {
			continue
		}
		found = true
		if err := s.attemptLogs(ctx, a); err != nil {
			failed = err
			fmt.Fprintf(s.err, "howdah: %v\n", err)
		}
	}
	switch {
	case !found && len(args) == 2:
		return failure.New(failure.NotFound, "find attempt", args[1], nil).Fix("howdah job -list-attempt-ids lists the attempts of " + args[0])
	case failed != nil:
		return silent{failure.KindOf(failed).ExitCode()}
	}
	return nil
}

func (s *session) attemptLogs(ctx context.Context, a *client.AttemptStatus) error {
	if a.LogUrl == "" {
		return failure.New(failure.NotFound, "read logs of", a.Id, errors.New("its TaskTracker is gone"))
	}
	for _, name := range logNames {
		if err := s.oneLog(ctx, a, name); err != nil {
			return err
		}
	}
	return s.profile(ctx, a)
}

// profile says where the attempt's profile is, if it has one: it is no text.
func (s *session) profile(ctx context.Context, a *client.AttemptStatus) error {
	r, err := s.getLog(ctx, a, "profile")
	if r == nil || err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = fmt.Fprintf(s.out, "%s profile.out: %d bytes; go tool pprof '%s'\n", a.Id, r.ContentLength, r.Request.URL)
	return err
}

// getLog asks for a log; nil = the attempt has no such one.
func (s *session) getLog(ctx context.Context, a *client.AttemptStatus, name string) (*http.Response, error) {
	u, err := url.Parse(a.LogUrl)
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read logs of", a.Id, err)
	}
	q := u.Query()
	q.Set("filter", name)
	q.Set("plaintext", "true")
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read logs of", a.Id, err)
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, failure.New(failure.Unreachable, "read logs of", a.Id, err).Fix("the TaskTracker that ran it must be up")
	}
	if r.StatusCode == http.StatusOK {
		return r, nil
	}
	r.Body.Close()
	if r.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	return nil, failure.New(failure.IO, "read logs of", a.Id, errors.New(r.Status))
}

func (s *session) oneLog(ctx context.Context, a *client.AttemptStatus, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := s.getLog(ctx, a, name)
	if r == nil || err != nil {
		return err
	}
	defer r.Body.Close()
	fmt.Fprintf(s.out, "%s %s:\n", a.Id, name)
	if _, err := io.Copy(s.out, r.Body); err != nil {
		return failure.New(failure.IO, "read logs of", a.Id, err)
	}
	_, err = fmt.Fprintln(s.out)
	return err
}
