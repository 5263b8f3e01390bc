//go:build integration

package fsshell

import (
	"bytes"
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// Ctrl-C during a copy leaves behind neither the target nor a temporary file.
func (s *sides) interrupted(t *testing.T) {
	s.clean(t)
	dir := s.cluster.URI() + "/" + ourSide
	for _, args := range [][]string{{"-put", "-", dir + "/f"}, {"-put", "-d", "-", dir + "/f"}} {
		cmd := exec.CommandContext(s.ctx, minicluster.Binary(t), append([]string{"fs"}, args...)...)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		require.NoError(t, cmd.Start())
		_, err = in.Write(make([]byte, 8<<20))
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		err = cmd.Wait()
		var exit *exec.ExitError
		require.True(t, errors.As(err, &exit), "%v %s", err, errs.String())
		require.Equal(t, 130, exit.ExitCode(), errs.String())
		_, ours := s.command("-ls -R $D")
		require.Empty(t, ours.out, "%v", args)
	}
}
