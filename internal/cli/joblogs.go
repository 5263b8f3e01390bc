package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// logObject is a log of an attempt in the output of --json.
type logObject struct {
	Attempt string `json:"attempt"`
	Log     string `json:"log"`
	Bytes   *int64 `json:"bytes,omitempty"` // may be 0
	URL     string `json:"url"`
	Text    string `json:"text,omitempty"`
}

// jobLogs prints the logs of all attempts of a job, or of one attempt. It reads them from the
// TaskTrackers' web servers.
func (s *session) jobLogs(c *urfave.Context, jobs *jobclient.Client) error {
	ctx, args := c.Context, c.Args().Slice()
	print := s.writeLog
	if c.Bool("json") {
		print = s.writeLogJSON
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
		if err := attemptLogs(ctx, jobs, a, print); err != nil {
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

// profileLog is the name of an attempt's profile, which is not text.
const profileLog = "profile"

// attemptLogs calls print for each log that the attempt has.
func attemptLogs(ctx context.Context, jobs *jobclient.Client, a *status.Attempt,
	print func(a *status.Attempt, name string, log *jobclient.Log) error) error {
	for _, name := range append(slices.Clone(jobclient.Logs), profileLog) {
		if err := oneLog(ctx, jobs, a, name, print); err != nil {
			return err
		}
	}
	return nil
}

func oneLog(ctx context.Context, jobs *jobclient.Client, a *status.Attempt, name string,
	print func(a *status.Attempt, name string, log *jobclient.Log) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	log, err := jobs.OpenLog(ctx, a, name, 0)
	if log == nil || err != nil {
		return err
	}
	defer log.Close()
	return print(a, name, log)
}

// writeLog prints a log. It prints only the location of a profile.
func (s *session) writeLog(a *status.Attempt, name string, log *jobclient.Log) error {
	if name == profileLog {
		_, err := fmt.Fprintf(s.out, "%s profile.out: %d bytes; go tool pprof '%s'\n", a.ID, log.Size, log.URL)
		return err
	}
	fmt.Fprintf(s.out, "%s %s:\n", a.ID, name)
	if _, err := io.Copy(s.out, log); err != nil {
		return failure.New(failure.IO, "read logs of", a.ID.String(), err)
	}
	_, err := fmt.Fprintln(s.out)
	return err
}

// writeLogJSON prints the object for a log, with the text unless the log is a profile.
func (s *session) writeLogJSON(a *status.Attempt, name string, log *jobclient.Log) error {
	o := logObject{Attempt: a.ID.String(), Log: name, Bytes: jsonout.Known(log.Size, log.Size >= 0), URL: log.URL}
	if name != profileLog {
		text, err := io.ReadAll(log)
		if err != nil {
			return failure.New(failure.IO, "read logs of", o.Attempt, err)
		}
		o.Text = string(text)
	}
	return jsonout.Write(s.out, o)
}
