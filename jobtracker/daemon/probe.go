package daemon

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/job/failure"
)

// probe is a file in the system directory. Other nodes read it to check whether they have access to
// the same storage.
type probe struct {
	path string // URI
	text string
}

const (
	// storagePatience is the maximum time that the JobTracker waits for storage. It is long enough
	// for an HDFS that starts at the same time on a slow machine.
	storagePatience = time.Minute
	storagePause    = 2 * time.Second
)

// awaitStorage creates the probe. While storage is unreachable or cannot store the probe yet, it
// retries until storagePatience has passed or ctx ends. It returns any other error immediately.
func (d *Daemon) awaitStorage(ctx context.Context) (probe, error) {
	for began := time.Now(); ; {
		p, err := d.makeProbe(ctx)
		if k := failure.KindOf(err); err == nil || k != failure.Unreachable && k != failure.IO ||
			time.Since(began) >= storagePatience {
			return p, err
		}
		d.cfg.Log.Warn("waiting for storage", "error", err)
		if e := lifecycle.Sleep(ctx, storagePause); e != nil {
			return probe{}, err
		}
	}
}

// makeProbe writes the probe. Its random text stays the same after restarts. A node that reads this
// text has access to the right storage.
func (d *Daemon) makeProbe(ctx context.Context) (probe, error) {
	text, err := keptText(filepath.Join(d.cfg.Dir, "probe"))
	if err != nil {
		return probe{}, err
	}
	fs, dir, err := d.cfg.FS.Resolve(d.cfg.SystemDir)
	if err != nil {
		return probe{}, err
	}
	if fs.Scheme() == "file" {
		// All users read the probe. It is the only file in the directory.
		if err := owndir.Make(dir, 0o755, conf.JobTrackerSystemDir.Name); failure.Is(err, failure.Config) {
			return probe{}, err
		}
	}
	name := path.Join(dir, "jobtracker-"+text[:16]+".info")
	// Mkdir is a separate step, because HDFS creates missing parents of a file with the permissions of
	// the directory above.
	err = fs.Mkdir(ctx, dir)
	var w dfs.Writer
	if err == nil {
		w, err = dfs.Within(fs, dir).Create(ctx, name, dfs.CreateOptions{Overwrite: true, Mode: 0o644})
	}
	if err != nil {
		return probe{}, failure.New(failure.KindOf(err), "write to the system directory", fs.URI()+name, err).
			Fix("set " + conf.JobTrackerSystemDir.Name + " to a directory that the JobTracker can write and all nodes can read")
	}
	defer w.Abort()
	if _, err := w.Write([]byte(text)); err != nil {
		return probe{}, err
	}
	return probe{path: fs.URI() + name, text: text}, w.Close()
}

// keptText returns the random text in a local file. It creates the file if it is missing, and
// overwrites it if its length is wrong.
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
