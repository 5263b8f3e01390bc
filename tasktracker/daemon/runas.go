package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// The values of howdah.tasktracker.run-as.
const (
	runAsUser    = "user"
	runAsTracker = "tracker"
)

const keyRunAs = "howdah.tasktracker.run-as"

// UserConfig determines which user runs each task. UsersFromConf fills it in. The zero value runs
// each task as its job's user and rejects root's jobs.
type UserConfig struct {
	Tracker  bool     // all tasks run as the TaskTracker's user (howdah.tasktracker.run-as)
	OnlyRoot bool     // only root can submit jobs if the TaskTracker runs as root, so root's jobs may run as root
	MinID    int64    // min.user.id
	Banned   []string // banned.users
}

// UsersFromConf returns the UserConfig of a TaskTracker.
func UsersFromConf(r *conf.Reader) UserConfig {
	return UserConfig{Tracker: conf.TaskTrackerRunAs.From(r) == runAsTracker,
		OnlyRoot: auth.Laptop(r.Conf),
		MinID:    conf.MinUserID.From(r), Banned: conf.BannedUsers.Get(r.Conf)}
}

// changesUsers reports whether this TaskTracker runs tasks as users other than its own.
func (u *UserConfig) changesUsers() bool {
	return os.Geteuid() == 0 && !u.Tracker && runtime.GOOS == "linux"
}

// String returns a description of the user who runs the tasks, for a log message.
func (u *UserConfig) String() string {
	switch {
	case u.Tracker:
		return passwd.Me() + ", whoever submits the job (" + keyRunAs + "=" + runAsTracker + ")"
	case !u.changesUsers():
		return passwd.Me() + "; jobs of other users are refused"
	case u.OnlyRoot:
		return "the job's user; root's as root, because only root has this cluster's secret"
	}
	return "the job's user; root's jobs are refused"
}

// Mode returns a short description of the user who runs the tasks, for auth.NewMode.
func (u *UserConfig) Mode() string {
	if u.changesUsers() {
		return "tasks as users"
	}
	return "tasks as user " + passwd.Me()
}

// accountOf returns the account that runs the tasks of a user's jobs. It returns nil if they run as
// the TaskTracker's user. If they must not run on this node, it returns a refusal.
func (u *UserConfig) accountOf(user string) (*account.Account, error) {
	if u.Tracker || os.Geteuid() != 0 && user == passwd.Me() {
		return nil, nil
	}
	a, err := account.Look(user)
	refuse := func(why, remedy string) (*account.Account, error) {
		return nil, refusal{failure.New(failure.Permission, "run tasks as user", user, errors.New(why)).Fix(remedy)}
	}
	switch {
	case err == nil && os.Geteuid() != 0 && a.UID == os.Geteuid():
		return nil, nil // another name for this process's user
	case os.Geteuid() != 0 || !u.changesUsers():
		return refuse("the TaskTracker runs as "+passwd.Me()+" and cannot change to another user",
			"submit the job as "+passwd.Me()+", run the TaskTracker as root on Linux, or set "+
				conf.TaskTrackerRunAs.Name+" to "+runAsTracker+
				" to run everybody's tasks as "+passwd.Me())
	case err != nil:
		return nil, refusal{failure.New(failure.Permission, "run tasks as user", user, err)}
	case a.UID == 0 && u.OnlyRoot:
		return nil, nil
	case a.UID == 0:
		return refuse("others can submit jobs as well, so no job runs as root", "submit the job as an ordinary user, "+
			"or set "+conf.TaskTrackerRunAs.Name+" to "+runAsTracker+" to run everybody's tasks as root")
	case slices.Contains(u.Banned, user):
		return refuse("the user is one of banned.users", "submit the job as an ordinary user")
	case int64(a.UID) < u.MinID:
		return refuse(fmt.Sprintf("the user ID %d is smaller than min.user.id, which is %d", a.UID, u.MinID),
			"submit the job as an ordinary user, or lower min.user.id")
	}
	return a, nil
}

// canEnter returns a refusal if a user's tasks cannot enter the directories that they need.
func (d *Daemon) canEnter(a *account.Account) error {
	if a == nil {
		return nil
	}
	dirs := []string{filepath.Join(d.cfg.LogDir, userLogs)}
	for _, local := range d.dirs.all {
		dirs = append(dirs, filepath.Join(local, trackerDir))
	}
	for _, dir := range dirs {
		err := account.As(a.Name, func() error {
			_, err := os.Stat(dir + "/.") // unlike dir itself, this requires permission to enter the directory
			return err
		})
		if failure.KindOf(err) == failure.Permission {
			return refusal{failure.New(failure.Permission, "run tasks as user", a.Name, err).
				Fix("let every user enter the directories above it (chmod o+x)")}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
