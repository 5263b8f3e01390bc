package child

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// The output of a debug script goes to the log file debugLog, which keeps the last debugLimit
// bytes. The script is killed after debugTimeout.
const (
	debugLog     = "debugout"
	debugLimit   = 1 << 20
	debugTimeout = time.Minute
)

// debugScript runs the command that the job configures for analyzing failed attempts. The command
// runs in the attempt's working directory. Its last arguments are the paths of the attempt's logs
// and job.xml. Its exit status has no effect because the attempt has already failed.
func (a *launched) debugScript() {
	key := conf.MapDebugScript.Name
	if a.spec.Attempt.Type == job.Reduce {
		key = conf.ReduceDebugScript.Name
	}
	if a.spec.Conf == nil || a.l.LogDir == "" {
		return
	}
	words := strings.Fields(a.spec.Conf.Get(key))
	if len(words) == 0 {
		return
	}
	name := filepath.Join(a.l.LogDir, debugLog)
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o644)
	if err != nil {
		a.log.print("WARN", "debug script: %v", err)
		return
	}
	defer func() {
		out.Close()
		_ = keepTail(name, 0, debugLimit)
	}()
	for _, stream := range streams {
		words = append(words, filepath.Join(a.l.LogDir, stream))
	}
	if err := a.runScript(append(words, a.l.ConfPath), out); err != nil {
		a.log.print("WARN", "debug script %s: %v", words[0], err)
	}
}

func (a *launched) runScript(words []string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), debugTimeout)
	defer cancel()
	// If the script is in the distributed cache, it is linked in the attempt's directory.
	if own := filepath.Join(a.l.WorkDir, words[0]); !filepath.IsAbs(words[0]) && isFile(own) {
		_ = os.Chmod(own, 0o755) // if this fails, starting the script fails as well
		words[0] = own
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.l.WorkDir, out, out
	cmd.WaitDelay = time.Second
	return cmd.Run()
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
