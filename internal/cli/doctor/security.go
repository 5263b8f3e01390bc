package doctor

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker/daemon"
)

// security reports what protects the daemons, and checks the requirements for access to a secured
// HDFS: a ticket or keytab, the daemons' keytabs, and valid tokens.
func (r *Report) security(ctx context.Context, c *conf.Config) {
	const check = "security"
	if o, err := rpc.ClientOptions(c, certs.JobTracker); err != nil {
		r.failed(check, err)
	} else {
		if o.Proof.Token() {
			r.token(o.Proof.Claims())
		}
		users := daemon.UsersFromConf(&conf.Reader{Conf: c})
		r.add(OK, check, "", "%s", auth.NewMode(c, o.Proof, users.Mode()))
	}
	ctx, cancel := context.WithTimeout(ctx, 2*callTimeout)
	defer cancel()
	id, err := caller(c, security.Options{})
	if err != nil {
		r.failed(check, err)
		return
	}
	if !id.Kerberos() {
		if id.SimpleUser() != passwd.Me() {
			r.add(Note, check, "", "this user is %s in HDFS", id.SimpleUser())
		}
		return
	}
	r.tokens(id.Tokens())
	if who, err := id.Check(ctx); err != nil {
		r.failed(check, err)
	} else {
		r.add(OK, check, "", "Kerberos: %s", who)
	}
	for _, l := range []schemes.Login{schemes.JobTrackerLogin, schemes.TaskTrackerLogin} {
		r.keytab(ctx, c, l)
	}
}

// caller returns this process's identity in HDFS. It needs the NameNode's principal only if HDFS is
// the default file system.
func caller(c *conf.Config, o security.Options) (*security.Identity, error) {
	if strings.HasPrefix(strings.TrimSpace(conf.FSDefaultFS.Get(c)), "hdfs:") {
		return security.New(c, o)
	}
	return security.Caller(c, o)
}

// token reports when the token that this client presents expires.
func (r *Report) token(claims auth.Claims) {
	const check = "security"
	end := time.Unix(claims.Expires, 0)
	if !time.Now().Before(end) {
		r.fail(failure.Permission, check, "ask an administrator for a new token (howdah token create)",
			"the token of %s expired at %s", claims.Principal(), end.Format(time.DateTime))
		return
	}
	r.add(OK, check, "", "the token of %s expires at %s", claims.Principal(), end.Format(time.DateTime))
}

// runsDaemons reports whether this user can run daemons of the cluster. A user with their own token
// or Kerberos login cannot.
func runsDaemons(c *conf.Config) bool {
	p, err := auth.LoadProof(c, auth.JobTracker)
	return err == nil && (p.Secret() || p.Token() && p.Claims().User == "")
}

// keytab tests whether a daemon can log in with its keytab, if the keytab is on this machine.
func (r *Report) keytab(ctx context.Context, c *conf.Config, l schemes.Login) {
	file := c.Get(l.KeytabKey)
	if _, err := os.Stat(file); file == "" || errors.Is(err, os.ErrNotExist) {
		return // the keytab is on another machine
	}
	id, err := caller(c, security.Options{Principal: c.Get(l.PrincipalKey), Keytab: file,
		Tokens: &token.Credentials{}})
	if err == nil {
		var who string
		if who, err = id.Check(ctx); err == nil {
			r.add(OK, "security", "", "%s: %s", l.KeytabKey, who)
			return
		}
	}
	r.failed("security", err)
}

// tokens reports the delegation tokens of this process.
func (r *Report) tokens(c *token.Credentials) {
	var aliases []string
	for alias := range c.Tokens {
		aliases = append(aliases, alias)
	}
	slices.Sort(aliases)
	for _, alias := range aliases {
		t := c.Tokens[alias]
		id, err := token.Decode(t.Identifier)
		switch {
		case err != nil:
			r.add(Note, "security", "", "%s", t.String())
		case time.Now().After(id.Max):
			r.add(Warn, "security", "get a new token", "%s expired at %s", t.String(), id.Max.Local().Format(time.DateTime))
		default:
			r.add(OK, "security", "", "%s expires no later than %s", t.String(), id.Max.Local().Format(time.DateTime))
		}
	}
}

// failed adds a finding of level Fail for err. If err contains a remedy, the finding shows it
// separately.
func (r *Report) failed(check string, err error) {
	remedy, bare := apart(err)
	r.fail(failure.KindOf(err), check, remedy, "%v", bare)
}

// apart separates an error from its remedy, and returns both.
func apart(err error) (remedy string, bare error) {
	var e *failure.Error
	if !errors.As(err, &e) {
		return "", err
	}
	without := *e
	without.Remedy = ""
	return e.Remedy, &without
}
