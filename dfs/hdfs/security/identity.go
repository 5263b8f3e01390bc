package security

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// UserEnv names the user whom a cluster without security believes the caller to be, as in Hadoop.
const UserEnv = "HADOOP_USER_NAME"

// HAService begins the name of an HA pair in tokens.
const HAService = "ha-hdfs:"

// Options say on whose behalf a process acts. The zero value is whoever runs it.
type Options struct {
	// User is who acts where nobody checks it; "" = $HADOOP_USER_NAME, else who runs the process.
	User string
	// Tokens are used before Kerberos; nil = those in the files that $HADOOP_TOKEN_FILE_LOCATION and
	// mapreduce.job.credentials.binary (-tokenCacheFile) name.
	Tokens *token.Credentials
	// Principal and Keytab log in; "" = howdah.security.kerberos.principal and .keytab, else the ticket cache.
	Principal, Keytab string
	// TokensOnly forbids Kerberos: a job of a user's acts with what the user gave it, never as the daemon.
	TokensOnly bool
}

// Identity is who acts, and the proofs that he has. All methods may be called concurrently. Nothing is read from disk or asked of a
// KDC before a server wants to see a proof.
type Identity struct {
	s     settings
	user  string
	creds atomic.Pointer[token.Credentials]
	login func() (*kerberos.Login, error)
}

// New reads the settings of security. Errors: kind Config; of files of tokens also NotFound, Permission and Corrupt.
func New(c *conf.Config, o Options) (*Identity, error) {
	s, err := readSettings(c)
	if err != nil {
		return nil, err
	}
	i := &Identity{s: s, user: o.User}
	if i.user == "" {
		i.user = SimpleUser(c)
	}
	creds := o.Tokens
	if creds == nil {
		if creds, err = Tokens(c); err != nil {
			return nil, err
		}
	}
	i.creds.Store(creds)
	principal, keytab := o.Principal, o.Keytab
	if keytab == "" && principal == "" {
		principal, keytab = c.Get(KeyPrincipal), c.Get(KeyKeytab)
	}
	i.login = sync.OnceValues(func() (*kerberos.Login, error) {
		switch {
		case o.TokensOnly:
			return nil, failure.New(failure.Permission, "find a proof for user", i.user, errors.New("the job brought no token for this file system")).
				Fix("name it in mapreduce.job.hdfs-servers, so that a token is fetched at submission")
		case keytab != "":
			return kerberos.FromKeytab(principal, keytab)
		}
		return kerberos.FromCache()
	})
	return i, nil
}

// SimpleUser gives whom a cluster without security takes the caller for: $HADOOP_USER_NAME, else the first name in hadoop.job.ugi,
// else who runs the process.
func SimpleUser(c *conf.Config) string {
	if v := os.Getenv(UserEnv); v != "" {
		return v
	}
	if name, _, _ := strings.Cut(c.Get("hadoop.job.ugi"), ","); strings.TrimSpace(name) != "" {
		return strings.TrimSpace(name)
	}
	return passwd.Me()
}

// User gives whom HDFS takes the caller for: the local user of the Kerberos ticket or keytab on a secured cluster, else SimpleUser.
// Without a ticket it is who runs the process.
func User(c *conf.Config) string {
	if c.Get(keyAuthentication) != "kerberos" {
		return SimpleUser(c)
	}
	if i, err := New(c, Options{}); err == nil {
		if name, err := i.User(); err == nil {
			return name
		}
	}
	return passwd.Me()
}

// Principal gives who logs in to Kerberos with o: "" on a cluster without security, and where neither a keytab nor a ticket is at
// hand. A keytab that is named must be there and fit.
func Principal(c *conf.Config, o Options) (string, error) {
	if c.Get(keyAuthentication) != "kerberos" {
		return "", nil
	}
	i, err := New(c, o)
	if err != nil {
		return "", err
	}
	l, err := i.login()
	if err != nil {
		if o.Keytab == "" && c.Get(KeyKeytab) == "" {
			return "", nil
		}
		return "", err
	}
	return l.Principal(), nil
}

// Tokens reads the tokens that the process was given: in the files that mapreduce.job.credentials.binary (-tokenCacheFile) and
// $HADOOP_TOKEN_FILE_LOCATION name.
func Tokens(c *conf.Config) (*token.Credentials, error) {
	all := &token.Credentials{}
	for _, name := range []string{c.Get(keyTokenFile), os.Getenv(token.FileEnv)} {
		if name == "" {
			continue
		}
		one, err := token.ReadFile(strings.TrimPrefix(name, "file:"))
		if err != nil {
			return nil, err
		}
		all.AddAll(one)
	}
	return all, nil
}

// Secured says whether connections begin with a log-in.
func (i *Identity) Secured() bool { return i.s.kerberos || len(i.tokens().Tokens) > 0 }

// Kerberos says whether the cluster is a secured one.
func (i *Identity) Kerberos() bool { return i.s.kerberos }

// SimpleUser gives the name that is told to servers without security.
func (i *Identity) SimpleUser() string { return i.user }

// Tokens gives the tokens that are used; they must not be changed.
func (i *Identity) Tokens() *token.Credentials { return i.creds.Load() }

// SetTokens replaces the tokens; connections that are open stay.
func (i *Identity) SetTokens(c *token.Credentials) { i.creds.Store(c) }

func (i *Identity) tokens() *token.Credentials { return i.creds.Load() }

// User gives the name in which files are made: the local user of the Kerberos principal, the owner of a token, or the name that
// nobody checks. It reads the ticket cache or the keytab, but asks nobody.
func (i *Identity) User() (string, error) {
	if !i.s.kerberos {
		return i.user, nil
	}
	for _, t := range i.tokens().Tokens {
		if id, err := token.Decode(t.Identifier); err == nil && t.Kind == token.KindHDFS {
			return i.local(id.Owner)
		}
	}
	l, err := i.login()
	if err != nil {
		return "", err
	}
	return i.local(l.Principal())
}

// local gives the user of a principal; a name without a realm is one already.
func (i *Identity) local(principal string) (string, error) {
	if !strings.ContainsAny(principal, "@/") {
		return principal, nil
	}
	realm, err := kerberos.DefaultRealm()
	if err != nil {
		return "", err
	}
	user, err := i.s.rules.local(principal, realm)
	if err != nil {
		return "", failure.New(failure.Config, "find the user of", principal, err).Fix("complete " + keyAuthToLocal)
	}
	return user, nil
}

// Check looks for what is needed before a server is asked: the ticket or the keytab. It is for howdah doctor.
func (i *Identity) Check(ctx context.Context) (who string, err error) {
	if !i.s.kerberos {
		return i.user, nil
	}
	l, err := i.login()
	if err != nil {
		return "", err
	}
	return l.String(), l.Check(ctx)
}

// serverPrincipal gives the principal of a NameNode. What the server calls itself must be what the configuration says of the
// server at that address: anybody in the realm has some principal.
func (i *Identity) serverPrincipal(a auth, addr string) (string, error) {
	l, err := i.login()
	if err != nil {
		return "", err
	}
	claimed := a.protocol + "/" + a.server
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return "", failure.New(failure.Usage, opLogin, addr, err)
	}
	if p := i.s.nameNodePattern; p != "" {
		full, err := l.Service(claimed, a.server)
		if err != nil {
			return "", err
		}
		if ok, err := path.Match(strings.ReplaceAll(p, "/", "\x00"), strings.ReplaceAll(full, "/", "\x00")); err != nil || !ok {
			return "", wrongPrincipal(addr, full, p, keyNameNodePattern)
		}
		return full, nil
	}
	expected, err := l.Service(i.s.nameNode, host)
	if err != nil {
		return "", err
	}
	if sameName(expected, claimed) {
		return expected, nil
	}
	for _, h := range namesOf(host) { // DNS is asked only where the configured name is another one
		if other, err := l.Service(i.s.nameNode, h); err == nil && sameName(other, claimed) {
			return other, nil
		}
	}
	return "", wrongPrincipal(addr, claimed, expected, keyNameNode)
}

func sameName(principal, claimed string) bool {
	name, _, _ := strings.Cut(principal, "@")
	return strings.EqualFold(name, claimed)
}

func wrongPrincipal(addr, claimed, expected, key string) error {
	return failure.New(failure.Config, opLogin, addr, fmt.Errorf("the server says that it is %s, and the configuration says %s", claimed, expected)).
		Fix("correct " + key + ", or name the server by the host's name in its principal")
}

// namesOf gives the names that DNS has for a host: of an address, or the full one of a short name.
func namesOf(host string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var names []string
	if net.ParseIP(host) != nil {
		names, _ = net.DefaultResolver.LookupAddr(ctx, host)
	} else if name, err := net.DefaultResolver.LookupCNAME(ctx, host); err == nil {
		names = []string{name}
	}
	for i := range names {
		names[i] = strings.ToLower(strings.TrimSuffix(names[i], "."))
	}
	return names
}

// digest is the log-in with a token.
func digest(identifier, password []byte, service, host string, want []sasl.Protection) sasl.Mechanism {
	enc := base64.StdEncoding
	return sasl.NewDigest(sasl.DigestOptions{User: enc.EncodeToString(identifier), Password: enc.EncodeToString(password), Service: service, Host: host, Want: want})
}
