package node

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// This file is about directories of a deployment that do not lie on the disks of its nodes: those of its JobTracker, where a setting puts
// them on storage that outlives it.

const outsideFile = "outside.json"

// forgetTimeout bounds the removal of one such directory. Storage that does not answer must not keep a node from others.
const forgetTimeout = 30 * time.Second

// keepOutside remembers them before they are used, also for a Node that comes after this one.
func (l layout) keepOutside(dirs []string) error {
	b, _ := json.Marshal(dirs)
	if err := writeWhole(l.path(outsideFile), b); err != nil {
		return failure.New(failure.KindOf(err), "write", l.path(outsideFile), err)
	}
	return nil
}

// outside lists them. Where nothing can be read, nothing was used.
func (l layout) outside() (dirs []string) {
	b, err := os.ReadFile(l.path(outsideFile))
	if err != nil || json.Unmarshal(b, &dirs) != nil {
		return nil
	}
	return dirs
}

// forgetOutside removes them. One that cannot be removed is named in the log and stays.
func (d *deployment) forgetOutside() {
	for _, dir := range d.outside() {
		if d.node.cfg.Forget == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), forgetTimeout)
		if err := d.node.cfg.Forget(ctx, dir); err != nil {
			d.node.cfg.Log.Warn("a directory of a deployment stays behind", "deployment", d.String(), "dir", dir, "error", err)
		}
		cancel()
	}
}
