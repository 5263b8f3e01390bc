package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// This file handles the directories of a deployment that are outside its nodes. The JobTracker has
// such directories if a setting places them on storage that outlives the deployment.

const outsideFile = "outside.json"

// forgetTimeout limits the removal of one outside directory. Unresponsive storage must not block a
// node.
const forgetTimeout = 30 * time.Second

// keepOutside records the outside directories before their first use, so that the next Node can
// remove them.
func (l layout) keepOutside(dirs []string) error {
	b, _ := json.Marshal(outside{dirs, sumOf(dirs)})
	if err := disk.Replace(disk.OS, l.path(outsideFile), b, 0o600); err != nil {
		return failure.New(failure.KindOf(err), "write", l.path(outsideFile), err)
	}
	return nil
}

// outside is the content of outsideFile. The checksum reveals a damaged name. Without it, the Node
// could remove the wrong directory.
type outside struct {
	Dirs []string `json:"dirs"`
	Sum  string   `json:"crc"`
}

func sumOf(dirs []string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(strings.Join(dirs, "\n"))))
}

// outside returns the recorded directories. If there is no record, no directory was used.
func (l layout) outside() ([]string, error) {
	file := l.path(outsideFile)
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var o outside
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	if err == nil && o.Sum != sumOf(o.Dirs) {
		err = errors.New("the checksum is wrong")
	}
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read", file, err)
	}
	return o.Dirs, nil
}

// forgetOutside removes the recorded directories. If a removal fails, it logs the error and leaves
// the directory.
func (d *deployment) forgetOutside() {
	dirs, err := d.outside()
	if err != nil {
		d.node.cfg.Log.Warn("the directories of a deployment outside its nodes stay, because their names are lost",
			"deployment", d.String(), "error", err)
	}
	for _, dir := range dirs {
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
