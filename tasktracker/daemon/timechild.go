package daemon

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job/failure"
)

// TimeChild starts program as a child, asks it to exit as soon as it is ready, and returns its CPU
// time. The result is the overhead of a child, not counting its tasks.
func TimeChild(program string) (time.Duration, error) {
	used, err := timeChild(program)
	if err != nil {
		return 0, failure.New(failure.KindOf(err), "time child", program, err)
	}
	return used, nil
}

func timeChild(program string) (time.Duration, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return 0, err
	}
	defer ours.Close()
	cmd := exec.Command(program)
	cmd.Env = childEnv(nil)
	cmd.ExtraFiles = []*os.File{theirs}
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return 0, err
	}
	err = dismiss(ours)
	if err != nil {
		_ = cmd.Process.Kill()
	}
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return 0, err
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// dismiss waits until the child at the other end of a line is ready and asks it to exit.
func dismiss(line *os.File) error {
	conn, err := net.FileConn(line)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := frame.NewReader(conn).Read(&umbilical.FromChild{}); err != nil {
		return err
	}
	return frame.NewWriter(conn).Write(&umbilical.ToChild{Exit: true})
}
