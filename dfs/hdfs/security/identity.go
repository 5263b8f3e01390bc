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
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// UserEnv is the environment variable with the caller's name on a cluster without security, as in
// Hadoop.
const UserEnv = "HADOOP_USER_NAME"

// HAService is the prefix of an HA pair's name in tokens.
const HAService = "ha-hdfs:"

// Options selects the caller on whose behalf a process acts. The zero value means the user of the
// process.
type Options struct {
	// User is the user on clusters without security. "" means the name that SimpleUser returns.
	User string
	// Tokens take precedence over Kerberos. nil means the tokens in the files that
	// $HADOOP_TOKEN_FILE_LOCATION and mapreduce.job.credentials.binary (-tokenCacheFile) name.
	Tokens *token.Credentials
	// Principal and Keytab are the Kerberos login. If both are "", they default to
	// howdah.security.kerberos.principal and .keytab. Without a keytab, the login comes from the
	// ticket cache.
	Principal, Keytab string
	// TokensOnly forbids Kerberos. A daemon sets it for a user's job, which must act only with the
	// tokens that the user provided, never as the daemon.
	TokensOnly bool
}

// Identity is a caller and its credentials. It is safe for concurrent use. It does not use the
// keytab, ticket cache, or KDC until a server or a method such as User requires it.
type Identity struct {
	s     settings
	user  string
	creds *token.Credentials
	login func() (*kerberos.Login, error)
}

// New returns the Identity that o and the security settings in c determine. Errors are of kind
// Config. Errors about token files can also be of kind NotFound, Permission, Corrupt, or Limit.
func New(c *conf.Config, o Options) (*Identity, error) {
	i, err := Caller(c, o)
	if err == nil && i.s.kerberos && i.s.nameNode == "" && i.s.nameNodePattern == "" {
		return nil, c.Refuse(conf.DFSNameNodeKerberosPrincipal.Name, errors.New("a secured cluster requires the principal")).
			Fix("write the NameNode's principal, such as nn/_HOST@REALM")
	}
	return i, err
}

// Caller is like New, but it does not require the settings for connections to a NameNode.
func Caller(c *conf.Config, o Options) (*Identity, error) {
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
	i.creds = creds
	principal, keytab := o.Principal, o.Keytab
	if keytab == "" && principal == "" {
		principal, keytab = conf.SecurityKerberosPrincipal.Get(c), conf.SecurityKerberosKeytab.Get(c)
	}
	i.login = sync.OnceValues(func() (*kerberos.Login, error) {
		switch {
		case o.TokensOnly:
			return nil, failure.New(failure.Permission, "find credentials for user", i.user,
				errors.New("the job has no token for this file system")).
				Fix("name it in mapreduce.job.hdfs-servers, so that the job fetches a token at submission")
		case keytab != "":
			return kerberos.FromKeytab(principal, keytab)
		}
		return kerberos.FromCache()
	})
	return i, nil
}

// SimpleUser returns the caller's name on a cluster without security: $HADOOP_USER_NAME, else the
// first name in hadoop.job.ugi, else the user of the process.
func SimpleUser(c *conf.Config) string {
	if v := os.Getenv(UserEnv); v != "" {
		return v
	}
	if name, _, _ := strings.Cut(conf.HadoopJobUGI.Get(c), ","); strings.TrimSpace(name) != "" {
		return strings.TrimSpace(name)
	}
	return passwd.Me()
}

// User returns the caller's name in HDFS. On a secured cluster, it is the local user for the owner
// of the process's token or for its Kerberos principal, or the user of the process if neither is
// known. On a cluster without security, it is the result of SimpleUser.
func User(c *conf.Config) string {
	if conf.HadoopSecurityAuthentication.Get(c) != "kerberos" {
		return SimpleUser(c)
	}
	if i, err := Caller(c, Options{}); err == nil {
		if name, err := i.User(); err == nil {
			return name
		}
	}
	return passwd.Me()
}

// Principal returns the principal of o's Kerberos login. It returns "" on a cluster without
// security or if there is neither a keytab nor a ticket. A configured keytab must exist and contain
// the principal.
func Principal(c *conf.Config, o Options) (string, error) {
	if conf.HadoopSecurityAuthentication.Get(c) != "kerberos" {
		return "", nil
	}
	i, err := Caller(c, o)
	if err != nil {
		return "", err
	}
	l, err := i.login()
	if err != nil {
		if o.Keytab == "" && conf.SecurityKerberosKeytab.Get(c) == "" {
			return "", nil
		}
		return "", err
	}
	return l.Principal(), nil
}

// Tokens reads the process's tokens from the files that mapreduce.job.credentials.binary
// (-tokenCacheFile) and $HADOOP_TOKEN_FILE_LOCATION name.
func Tokens(c *conf.Config) (*token.Credentials, error) {
	all := &token.Credentials{}
	for _, name := range []string{conf.JobCredentialsBinary.Get(c), os.Getenv(token.FileEnv)} {
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

// Secured reports whether connections begin with a login.
func (i *Identity) Secured() bool { return i.s.kerberos || len(i.creds.Tokens) > 0 }

// Kerberos reports whether the cluster is secured.
func (i *Identity) Kerberos() bool { return i.s.kerberos }

// SimpleUser returns the caller's name for servers without security.
func (i *Identity) SimpleUser() string { return i.user }

// Tokens returns the tokens in use. The caller must not change the result.
func (i *Identity) Tokens() *token.Credentials { return i.creds }

// User returns the owner of files that the caller creates. On a secured cluster, it is the local
// user for the owner of a token or, without a token, for the Kerberos principal. Without security,
// it is the unverified name. User can read the ticket cache or the keytab but does not make network
// calls.
func (i *Identity) User() (string, error) {
	if !i.s.kerberos {
		return i.user, nil
	}
	for _, t := range i.creds.Tokens {
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

// local returns the local user for a principal. A name without a realm is already a local user.
func (i *Identity) local(principal string) (string, error) {
	if !strings.ContainsAny(principal, "@/") {
		return principal, nil
	}
	realm, err := kerberos.DefaultRealm()
	if err != nil {
		return "", err
	}
	user, err := i.s.rules.Local(principal, realm)
	if err != nil {
		return "", failure.New(failure.Config, "find the user of", principal, err).Fix("complete " +
			conf.HadoopSecurityAuthToLocal.Name)
	}
	return user, nil
}

// Check returns a description of the caller. On a secured cluster, it returns an error if the
// caller cannot get a Kerberos ticket. It can call the KDC but does not call any HDFS server.
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

// serverPrincipal returns the principal of a NameNode. The principal that the server sends must
// match the configuration for its address, because any principal in the realm could run a server.
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
		ok, err := path.Match(strings.ReplaceAll(p, "/", "\x00"), strings.ReplaceAll(full, "/", "\x00"))
		if err != nil || !ok {
			return "", wrongPrincipal(addr, full, p, conf.DFSNameNodeKerberosPrincipalPattern.Name)
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
	for _, h := range namesOf(host) { // queries DNS only if the configured name differs
		if other, err := l.Service(i.s.nameNode, h); err == nil && sameName(other, claimed) {
			return other, nil
		}
	}
	return "", wrongPrincipal(addr, claimed, expected, conf.DFSNameNodeKerberosPrincipal.Name)
}

func sameName(principal, claimed string) bool {
	name, _, _ := strings.Cut(principal, "@")
	return strings.EqualFold(name, claimed)
}

func wrongPrincipal(addr, claimed, expected, key string) error {
	return failure.New(failure.Config, opLogin, addr,
		fmt.Errorf("the server identifies itself as %s, but the configuration names %s", claimed, expected)).
		Fix("correct " + key + ", or name the server by the host's name in its principal")
}

// namesOf looks up a host's names in DNS. For an address, it returns the address's names. For a
// short name, it returns the full name.
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

// digest returns the mechanism for a login with a token.
func digest(identifier, password []byte, service, host string, want []sasl.Protection) sasl.Mechanism {
	enc := base64.StdEncoding
	return sasl.NewDigest(sasl.DigestOptions{User: enc.EncodeToString(identifier), Password: enc.EncodeToString(password),
		Service: service, Host: host, Want: want})
}
