package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job/failure"
)

// webTokenCommands returns the commands for access to web pages.
func (s *session) webTokenCommands() []*urfave.Command {
	return []*urfave.Command{
		{
			Name: "link", Usage: "print a one-time login address for a browser", HideHelpCommand: true,
			Description: "The address works for 10 minutes and starts an 8-hour session. URL must be what the browser " +
				"uses to reach the daemon.",
			Flags: []urfave.Flag{&urfave.StringFlag{Name: "url",
				Usage: "page to open, such as http://host:50030/ (default: the JobTracker's first page)"}},
			Action: taking(0, s.tokenLink),
		},
		{
			Name: "bearer", Usage: "print a token for the Authorization header of scripts and Prometheus", HideHelpCommand: true,
			Description: `Anyone with the token can do what you can do until it expires. For users with a Kerberos
login, it expires no later than the login. With the secret, a token for more than a day is in howdah token list
and can be revoked. An example:
curl -H "Authorization: Bearer $(howdah token bearer)" http://host:50030/metrics`,
			Flags: []urfave.Flag{&urfave.IntFlag{Name: "days", Value: 1,
				Usage: "number of days until the token expires, 1-3650"}},
			Action: taking(0, s.tokenBearer),
		},
		{
			Name: "ca", Usage: "print the CA certificate, for browsers and curl --cacert", HideHelpCommand: true,
			Description: `With it, browsers and other programs can verify the daemons if ` + certs.KeyTLS + ` is on. An example:
howdah token ca > ca.pem && curl --cacert ca.pem https://host:50030/healthz`,
			Action: taking(0, s.tokenCA),
		},
	}
}

func (s *session) tokenLink(c *urfave.Context) error {
	address := c.String("url")
	if address == "" {
		err := s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
			cluster, err := jobs.Cluster(ctx)
			if err == nil {
				var cfg *conf.Config
				if cfg, err = s.config(); err == nil {
					address = certs.Scheme(cfg) + "://" + cluster.Web + "/"
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	page, err := url.Parse(address)
	if err == nil && (page.Host == "" || page.Scheme != "http" && page.Scheme != "https") {
		err = errors.New("want a URL such as http://host:50030/")
	}
	if err != nil {
		return failure.New(failure.Usage, "read --url", address, err)
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	web, err := rpc.FindWeb(cfg, issuer)
	if err != nil {
		return err
	}
	token, err := auth.OwnToken(c.Context, cfg, webguard.SessionLife, web.Lend)
	if err != nil {
		return err
	}
	link, err := webguard.Link(page, token)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, link)
	return nil
}

func (s *session) tokenCA(c *urfave.Context) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	web, err := rpc.FindWeb(cfg, issuer)
	if err != nil {
		return err
	}
	secure, err := web.TLS(c.Context)
	if err != nil {
		return err
	}
	if secure == nil {
		return failure.New(failure.Config, "print the certificate of the CA", "", errors.New(certs.KeyTLS+" is off")).
			Fix("set it to the value that the daemons have")
	}
	_, err = s.out.Write(secure.CA())
	return err
}

// issuer returns the JobTracker or, if only the manager of MR-clusters is configured, the manager. It
// implements [rpc.Find].
func issuer(c *conf.Config) (string, certs.Role, error) {
	addr, err := jobTracker(c)
	if manager := conf.MRClusterManagerAddress.Get(c); err != nil && manager != "" {
		return manager, certs.Manager, nil
	}
	return addr, certs.JobTracker, err
}

func (s *session) tokenBearer(c *urfave.Context) error {
	const most = 3650
	days := c.Int("days")
	if days < 1 || days > most {
		return usageError("--days=%d: want 1 to %d", days, most)
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	proof, err := auth.LoadProof(cfg, auth.JobTracker)
	if err != nil {
		return err
	}
	web, err := rpc.FindWeb(cfg, issuer)
	if err != nil {
		return err
	}
	var token string
	if proof.Secret() && days > 1 {
		token, err = s.listed(c.Context, days)
	} else {
		token, err = auth.OwnToken(c.Context, cfg, 24*time.Hour, web.Lend)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, token)
	return nil
}

// listed gets an administrator's token from a daemon. Unlike a token that this process issues, it is in
// the daemon's list, so it can be revoked.
func (s *session) listed(ctx context.Context, days int) (token string, err error) {
	user, err := s.user()
	if err != nil {
		return "", err
	}
	err = s.withTokens(ctx, func(ctx context.Context, daemons []tokenDaemon) error {
		token, err = daemons[0].Create(ctx, auth.Claims{Admin: true}, days, user)
		return err
	})
	return token, err
}
