package node

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// This file handles the directories of a deployment that are outside its nodes. The JobTracker has
// such directories if a setting puts them on storage that outlives the deployment.

const outsideFile = "outside.json"

// forgetTimeout limits the removal of one outside directory. Storage that does not answer must not
// block a node.
const forgetTimeout = 30 * time.Second

// keepOutside records the outside directories before their first use, so that the next Node can
// remove them.
func (l layout) keepOutside(dirs []string) error {
	b, _ := json.Marshal(dirs)
	if err := writeWhole(l.path(outsideFile), b); err != nil {
		return failure.New(failure.KindOf(err), "write", l.path(outsideFile), err)
	}
	return nil
}

// outside returns the recorded directories. Without a record, no directory was used.
func (l layout) outside() (dirs []string) {
	b, err := os.ReadFile(l.path(outsideFile))
	if err != nil || json.Unmarshal(b, &dirs) != nil {
		return nil
	}
	return dirs
}

// forgetOutside removes the recorded directories. If a removal fails, it logs the error and leaves
// the directory.
func (d *deployment) forgetOutside() {
	for _, dir := range d.outside() {
		if d.node.cfg.Forget == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), forgetTimeout)
		if err := d.node.cfg.Forget(ctx, dir); err != nil {
			d.node.cfg.Log.Warn("cannot remove a directory of a deployment", "deployment", d.String(), "dir", dir, "error", err)
		}
		cancel()
	}
}
