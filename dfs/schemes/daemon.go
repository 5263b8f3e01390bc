package schemes

import (
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
)

// Daemon contains the file systems of a daemon.
type Daemon struct {
	Own       *dfs.Set // acts as the daemon itself
	Users     *Users   // acts as the daemon's users
	Principal string   // the daemon's principal on a secured HDFS; "" means no login
}

// Login contains the names of the two keys that configure a daemon's Kerberos login.
type Login struct{ PrincipalKey, KeytabKey string }

// The daemons' logins.
var (
	JobTrackerLogin  = Login{conf.JobTrackerKerberosPrincipal.Name, conf.JobTrackerKeytabFile.Name}
	TaskTrackerLogin = Login{conf.TaskTrackerKerberosPrincipal.Name, conf.TaskTrackerKeytabFile.Name}
)

// NewDaemon opens the file systems for a daemon. If a configured keytab cannot be read or lacks the
// principal, the error is usually of kind Config, NotFound, Permission, or Corrupt. The caller must
// Close the result before the daemon exits.
func NewDaemon(c *conf.Config, l Login, log func(text string)) (*Daemon, error) {
	who := security.Options{Principal: c.Get(l.PrincipalKey), Keytab: c.Get(l.KeytabKey)}
	if (who.Principal == "") != (who.Keytab == "") {
		return nil, c.Refuse(l.PrincipalKey, errors.New("set both it and "+l.KeytabKey+", or neither"))
	}
	d := &Daemon{Users: NewUsers(c, log)}
	var err error
	if d.Principal, err = security.Principal(c, who); err != nil {
		return nil, err
	}
	d.Own, err = ResolverAs(c, who, log)
	return d, err
}

// Close closes all file systems.
func (d *Daemon) Close() error { return errors.Join(d.Own.Close(), d.Users.Close()) }
