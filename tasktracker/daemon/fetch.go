package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/job/failure"
)

func open(ctx context.Context, r dfs.Resolver, name string) (dfs.File, error) {
	fs, p, err := r.Resolve(name)
	if err != nil {
		return nil, err
	}
	return fs.Open(ctx, p)
}

// fetch copies a file to a local path. If the copy fails, no partial file remains.
func fetch(ctx context.Context, r dfs.Resolver, from, to string, mode os.FileMode) error {
	in, err := open(ctx, r, from)
	if err != nil {
		return err
	}
	defer in.Close()
	tmp, err := os.CreateTemp(filepath.Dir(to), ".fetch-*")
	if err != nil {
		return failure.New(failure.KindOf(err), "localize", to, err)
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, in)
	err = errors.Join(err, ctx.Err(), tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), to)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "localize", from, err)
	}
	return nil
}

// localizeProgram sets j.program to the TaskTracker's own program, or to a copy that stays for
// later jobs.
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
	// A program itself declares its identity, so users do not share programs: a user's script may
	// contain the identity of another user's program.
	user := j.info.GetUser()
	kept, damage := d.keptProgram(user, id)
	if kept != "" {
		j.program = kept
		if err := makeDir(filepath.Dir(kept), j.account); err != nil { // the user that tasks run as may have changed
			return err
		}
		return give(kept, j.account)
	}
	// Check the program in the job's own directory, because the common directory may contain
	// another job's correct program under the same name.
	mine := filepath.Join(j.home, "program")
	err := fetch(ctx, j.fs, j.info.GetProgramPath(), mine, 0o700)
	if err != nil && damage != nil {
		err = failure.New(failure.KindOf(err), "replace", "a damaged program", errors.Join(err, damage))
	}
	if err != nil {
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
