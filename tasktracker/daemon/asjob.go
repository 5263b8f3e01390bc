package daemon

import (
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// jobTokens is the name of a job's credentials file in its local directory, as in Hadoop.
const jobTokens = "jobToken"

// actFor opens the job's file systems as its user and gives the job's children the same
// credentials. The caller must call release.
func (d *Daemon) actFor(j *localJob) (release func(), err error) {
	credentials := j.info.GetCredentials()
	if len(credentials) > 0 {
		name := filepath.Join(j.home, jobTokens)
		// An earlier attempt may have left the file behind. Only this user and its children can
		// read the file.
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
