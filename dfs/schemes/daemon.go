package schemes

import (
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
)

// Daemon is what a daemon sees of file systems.
type Daemon struct {
	Own       *dfs.Set // as the daemon itself
	Users     *Users   // as those for whom it works
	Principal string   // who it is on a secured HDFS; "" = it has no log-in there
}

// Login names the keys by which a daemon logs in to Kerberos.
type Login struct{ PrincipalKey, KeytabKey string }

// The daemons' keys.
var (
	JobTrackerLogin  = Login{"mapreduce.jobtracker.kerberos.principal", "mapreduce.jobtracker.keytab.file"}
	TaskTrackerLogin = Login{"mapreduce.tasktracker.kerberos.principal", "mapreduce.tasktracker.keytab.file"}
)

// NewDaemon opens the file systems for a daemon. A keytab that is configured must be there and fit: kinds Config, NotFound and
// Permission. Close it when the daemon has ended.
func NewDaemon(c *conf.Config, l Login, log func(text string)) (*Daemon, error) {
	who := security.Options{Principal: c.Get(l.PrincipalKey), Keytab: c.Get(l.KeytabKey)}
	if (who.Principal == "") != (who.Keytab == "") {
		return nil, c.Refuse(l.PrincipalKey, errors.New("set "+l.KeytabKey+" together with it, or neither of them"))
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
