package daemon

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// jobTokens is the name of a job's credentials file in its local directory, as in Hadoop.
const jobTokens = "jobToken"

// actFor gives the job its user's file systems, until release, and its children the credentials to do the same.
func (d *Daemon) actFor(j *localJob) (release func(), err error) {
	credentials := j.info.GetCredentials()
	if len(credentials) > 0 {
		name := filepath.Join(j.home, jobTokens)
		// An earlier try may have left it; nobody but this user and its children ever sees what is in it.
		if err := os.WriteFile(name, credentials, 0o600); err != nil {
			return nil, failure.New(failure.KindOf(err), "write the job's credentials", name, err)
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
