package daemon

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// jobTokens is the name of a job's credentials file in its local directory, as in Hadoop.
const jobTokens = "jobToken"

// actFor opens the job's file systems. If Config.As is set, it does so as the job's user. It also
// stores the job's credentials in a file for the job's children. If actFor succeeds, the caller
// must call release later.
func (d *Daemon) actFor(j *localJob) (release func(), err error) {
	credentials := j.info.GetCredentials()
	if len(credentials) > 0 {
		name := filepath.Join(j.home, jobTokens)
		// An earlier localization may have left the file behind. Mode 0o600 hides the tokens from
		// other users.
		if err := os.WriteFile(name, credentials, 0o600); err != nil {
			return nil, failure.New(failure.KindOf(err), "write the job's credentials", name, err)
		}
		if err := give(name, j.account); err != nil {
			return nil, err
		}
		j.tokens = name
	}
	if d.cfg.As == nil {
		j.fs = d.cfg.FS
		return func() {}, nil
	}
	j.fs, release, err = d.cfg.As(j.info.GetUser(), credentials)
	return release, err
}
