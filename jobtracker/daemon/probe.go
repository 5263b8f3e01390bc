package daemon

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// probe is a file in the system directory by which other nodes find out whether they see the same storage.
type probe struct {
	path string // URI
	text string
}

const (
	// storagePatience is how long storage is waited for: HDFS that is started together with the JobTracker, also on a slow machine.
	storagePatience = time.Minute
	storagePause    = 2 * time.Second
)

// awaitStorage makes the probe. Storage that is being started is waited for: it does not answer yet, or the DataNodes that it names
// are those of before. What else is wrong is told at once.
func (d *Daemon) awaitStorage(ctx context.Context) (probe, error) {
	for began := time.Now(); ; {
		p, err := d.makeProbe(ctx)
		if k := failure.KindOf(err); err == nil || k != failure.Unreachable && k != failure.IO || time.Since(began) >= storagePatience {
			return p, err
		}
		d.cfg.Log.Warn("waiting for the storage", "err", err)
		if e := lifecycle.Sleep(ctx, storagePause); e != nil {
			return probe{}, err
		}
	}
}

// makeProbe writes the probe. Its random text is kept over restarts: whoever has seen it has seen the right storage.
func (d *Daemon) makeProbe(ctx context.Context) (probe, error) {
	text, err := keptText(filepath.Join(d.cfg.Dir, "probe"))
	if err != nil {
		return probe{}, err
	}
	fs, dir, err := d.cfg.FS.Resolve(d.cfg.SystemDir)
	if err != nil {
		return probe{}, err
	}
	name := path.Join(dir, "jobtracker-"+text[:16]+".info")
	// Made by itself, since HDFS gives a file's missing parents the permissions of the directory above.
	err = fs.Mkdir(ctx, dir)
	var w dfs.Writer
	if err == nil {
		w, err = fs.Create(ctx, name, dfs.CreateOptions{Overwrite: true, Mode: 0o644})
	}
	if err != nil {
		return probe{}, failure.New(failure.KindOf(err), "write to the system directory", fs.URI()+name, err).
			Fix("set " + KeySystemDir + " to a directory that this JobTracker may write and all nodes can read")
	}
	defer w.Abort()
	if _, err := w.Write([]byte(text)); err != nil {
		return probe{}, err
	}
	return probe{path: fs.URI() + name, text: text}, w.Close()
}

// keptText gives the random text in a local file, making it at the first time.
func keptText(name string) (string, error) {
	b, err := os.ReadFile(name)
	if text := strings.TrimSpace(string(b)); err == nil && len(text) == 64 {
		return text, nil
	}
	text := randomHex(32)
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		return "", failure.New(failure.KindOf(err), "write", name, err)
	}
	return text, nil
}
