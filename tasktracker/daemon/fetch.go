package daemon

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/job/failure"
)

const (
	// maxProgram is the maximum size of a shipped program, in bytes.
	maxProgram = 1 << 30
	// maxOldConf is the maximum size in bytes of a job.xml if the JobTracker does not report its
	// size.
	maxOldConf = 32 << 20
)

func open(ctx context.Context, r dfs.Resolver, name string) (dfs.File, error) {
	fs, p, err := r.Resolve(name)
	if err != nil {
		return nil, err
	}
	return fs.Open(ctx, p)
}

// fetch copies a file of at most max bytes to a local path. If the copy fails, no partial file
// remains.
func fetch(ctx context.Context, r dfs.Resolver, from, to string, mode os.FileMode, max int64) error {
	in, err := open(ctx, r, from)
	if err != nil {
		return err
	}
	defer in.Close()
	return write(ctx, io.LimitReader(in, max+1), from, to, mode, max)
}

func write(ctx context.Context, in io.Reader, from, to string, mode os.FileMode, max int64) error {
	tmp, err := os.CreateTemp(filepath.Dir(to), ".fetch-*")
	if err != nil {
		return failure.New(failure.KindOf(err), "localize", to, err)
	}
	defer os.Remove(tmp.Name())
	n, err := io.Copy(tmp, in)
	if err == nil && n > max {
		err = failure.New(failure.Limit, "copy", "", fmt.Errorf("the file has more than %d bytes", max))
	}
	err = errors.Join(err, ctx.Err(), tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), to)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "localize", from, err)
	}
	return nil
}

// localizeConf writes the job's configuration to the job's directory and returns its text. The user
// can replace the staged file at any time, so localizeConf rejects content other than what the
// JobTracker accepted. Callers must not read the written file, which then belongs to the user.
func (j *localJob) localizeConf(ctx context.Context) ([]byte, error) {
	fs, dir, err := j.fs.Resolve(j.info.GetStagingDir())
	if err != nil {
		return nil, err
	}
	size := j.info.GetConfSize()
	xml, err := staging.ReadXML(ctx, fs, dir, cmp.Or(size, maxOldConf))
	sum := sha256.Sum256(xml)
	if failure.Is(err, failure.Limit) || err == nil && size > 0 && !bytes.Equal(sum[:], j.info.GetConfSum()) {
		return nil, failure.New(failure.Corrupt, "localize", fs.URI()+dir+"/"+staging.ConfFile,
			errors.Join(err, errors.New("the file has changed since the JobTracker accepted the job"))).
			Fix("submit the job again, and do not change its staged files")
	}
	if err != nil {
		return nil, err
	}
	to := filepath.Join(j.home, jobConf)
	if err := write(ctx, bytes.NewReader(xml), dir, to, 0o600, int64(len(xml))); err != nil {
		return nil, err
	}
	return xml, give(to, j.account)
}

// localizeProgram sets j.program to the path of the job's program. That is the TaskTracker's own
// program, or a local copy that is kept for later jobs.
func (d *Daemon) localizeProgram(ctx context.Context, j *localJob, local string) error {
	id := j.info.GetProgram()
	if id == "" || id == d.cfg.Program.ID {
		j.program = d.cfg.Program.Path
		return nil
	}
	if j.info.GetProgramPath() == "" {
		return refusal{failure.New(failure.NotFound, "localize program of", j.id,
			errors.New("the job's program was not shipped and differs from the TaskTracker's program")).
			Fix("run the same version of howdah on all nodes")}
	}
	// Users do not share programs, because a program declares its own identity. A user's script
	// could contain the identity of another user's program.
	user := j.info.GetUser()
	kept, damage := d.keptProgram(user, id)
	if kept != "" {
		j.program = kept
		if err := makeDir(filepath.Dir(kept), j.account); err != nil { // the user as whom tasks run may have changed
			return err
		}
		return give(kept, j.account)
	}
	// Check the program in the job's own directory because the common directory may contain another
	// job's correct program under the same name.
	mine := filepath.Join(j.home, "program")
	err := fetch(ctx, j.fs, j.info.GetProgramPath(), mine, 0o700, maxProgram)
	if err != nil && damage != nil {
		err = failure.New(failure.KindOf(err), "replace", "a damaged program", errors.Join(err, damage))
	}
	if err != nil {
		return err
	}
	if err := staging.CheckProgram(j.info.GetProgramPath(), mine); err != nil {
		return err
	}
	p, err := program.Of(mine)
	if err != nil {
		return err
	}
	if p.ID != id {
		return failure.New(failure.Corrupt, "localize program", j.info.GetProgramPath(),
			fmt.Errorf("the program's identity is %s, want %s", p.ID, id))
	}
	sum, err := disk.SumOf(mine)
	if err != nil {
		return err
	}
	j.program = programFile(local, user, id, sum)
	if err := makeDirs(filepath.Join(local, trackerDir, distCache), filepath.Dir(j.program), j.account); err != nil {
		return err
	}
	if err := give(mine, j.account); err != nil {
		return err
	}
	if err := os.Rename(mine, j.program); err != nil {
		return failure.New(failure.KindOf(err), "localize program", j.program, err)
	}
	return nil
}
