package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job/failure"
)

// daemonLogCommand returns the counterpart of `hadoop daemonlog`.
func (s *session) daemonLogCommand() *urfave.Command {
	return &urfave.Command{
		Name: "daemonlog", Usage: "show or set the level of a daemon's log",
		ArgsUsage:       "-getlevel HOST:PORT [NAME] | -setlevel HOST:PORT [NAME] LEVEL",
		SkipFlagParsing: true, HideHelpCommand: true, // as in Hadoop, -protocol may follow the arguments
		Description: "HOST:PORT is the address of the daemon's web server. LEVEL is DEBUG, INFO, WARN, or ERROR. A " +
			"daemon's log has one level, so NAME, Hadoop's name of a logger, has no effect. -protocol http or https " +
			"overrides " + certs.KeyTLS + ". The level is set until the daemon ends. An example:\n" +
			"howdah daemonlog -setlevel master:50030 DEBUG",
		Action: s.daemonLog,
	}
}

// logRequest is a request for the level of a daemon's log, or a request to set it.
type logRequest struct{ scheme, address, level string }

func parseLogRequest(args []string) (r logRequest, err error) {
	var rest []string
	for i := 0; i < len(args); i++ {
		if args[i] != "-protocol" {
			rest = append(rest, args[i])
			continue
		}
		if i++; i == len(args) || args[i] != "http" && args[i] != "https" {
			return r, usageError("-protocol needs http or https")
		}
		r.scheme = args[i]
	}
	for i, word := range rest {
		if strings.HasPrefix(word, "-") && (i > 0 || word != "-getlevel" && word != "-setlevel") {
			return r, arguments.Unknown("option", word, []string{"-getlevel", "-setlevel", "-protocol"},
				"howdah daemonlog --help")
		}
	}
	switch n := len(rest); {
	case n > 1 && n <= 3 && rest[0] == "-getlevel":
	case n > 2 && n <= 4 && rest[0] == "-setlevel":
		r.level = rest[n-1]
	default:
		return r, usageError("howdah daemonlog needs -getlevel HOST:PORT [NAME] or -setlevel HOST:PORT [NAME] LEVEL")
	}
	r.address = rest[1]
	if _, _, err := net.SplitHostPort(r.address); err != nil {
		return r, usageError("%q is not HOST:PORT", r.address)
	}
	return r, nil
}

// tags are the HTML tags and comments in the answer, which hadoop daemonlog removes, too.
var tags = regexp.MustCompile("<[^>]*>")

func (s *session) daemonLog(c *urfave.Context) error {
	if arguments.AsksForHelp(c.Args().First()) {
		return urfave.ShowCommandHelp(c, "daemonlog")
	}
	q, err := parseLogRequest(c.Args().Slice())
	if err != nil {
		return err
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	answer, err := askLevel(c.Context, cfg, q)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return s.printLevel(q.address, answer)
}

const askOp = "ask for the level of the log"

// askLevel sends a request. With TLS, the daemon must be the JobTracker, the TaskTracker of the host,
// or the manager.
func askLevel(ctx context.Context, cfg *conf.Config, q logRequest) (*http.Response, error) {
	web, err := rpc.FindWeb(cfg, issuer)
	if err != nil {
		return nil, err
	}
	secure, err := web.TLS(ctx)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(q.address)
	roles := []certs.Role{certs.JobTracker, certs.TaskTracker(host), certs.Manager}
	if q.scheme == "" {
		if q.scheme = "http"; secure != nil {
			q.scheme = "https"
		}
	}
	if q.scheme == "http" {
		roles = roles[:1] // nobody checks it
	}
	method, form := http.MethodGet, url.Values{}
	if q.level != "" {
		method = http.MethodPost
		form.Set("level", q.level)
	}
	for _, role := range roles {
		r, bad := http.NewRequestWithContext(ctx, method, q.scheme+"://"+q.address+"/logLevel",
			strings.NewReader(form.Encode()))
		if bad != nil {
			return nil, failure.New(failure.Usage, askOp, q.address, bad)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, failed := web.Do(r, role, askOp, q.address,
			"use the address of the daemon's web server, such as master:50030 or node1:50060")
		if !failure.Is(failed, failure.Unreachable) {
			return answer, failed
		}
		err = failed
	}
	return nil, err
}

func (s *session) printLevel(address string, answer *http.Response) error {
	if err := auth.Refusal(askOp, address, answer); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return failure.New(failure.Unreachable, askOp, address, err).Fix("try again")
	}
	said := strings.TrimSpace(tags.ReplaceAllString(string(text), ""))
	switch answer.StatusCode {
	case http.StatusOK:
		_, err = io.WriteString(s.out, said+"\n")
		return err
	case http.StatusBadRequest:
		return failure.New(failure.Usage, "set the level of the log", address, errors.New(said))
	}
	return failure.New(failure.Unreachable, askOp, address, errors.New(answer.Status)).
		Fix("use the address of a howdah daemon's web server, such as master:50030 or node1:50060")
}
