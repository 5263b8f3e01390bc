package daemon

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/job/failure"
)

// programFile returns the path of a user's shipped program below local, a local directory. The file
// name contains a digest of the program's identity and a checksum of its content.
func programFile(local, user, id string, content disk.Sum) string {
	name := fmt.Sprintf("%s-%d-%08x", identity(id), content.Size, content.CRC)
	return filepath.Join(programDir(local, user), name)
}

func programDir(local, user string) string { return filepath.Join(local, trackerDir, distCache, user) }

func identity(id string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(id))) }

// checkProgram returns an error of kind Corrupt if the content of a shipped program does not match
// its name. Go's build ID alone does not reveal damage.
func checkProgram(c *disk.Checker, file string) error {
	var content disk.Sum
	_, text, _ := strings.Cut(filepath.Base(file), "-")
	if _, err := fmt.Sscanf(text, "%d-%08x", &content.Size, &content.CRC); err != nil {
		return failure.New(failure.Corrupt, "check", file, errors.New("its name has no checksum"))
	}
	dir, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return failure.New(failure.KindOf(err), "check", file, err)
	}
	defer dir.Close()
	return c.Check(dir, filepath.Base(file), content)
}

// keptProgram returns the path of a program shipped with one of the user's earlier jobs, or "" if
// there is none. It removes a damaged program so that no attempt runs it. If it finds only a
// damaged one, it returns the error.
func (d *Daemon) keptProgram(user, id string) (file string, damage error) {
	d.programs.Lock() // prevents another job from replacing the file between the check and the removal
	defer d.programs.Unlock()
	prefix := identity(id)
	for _, dir := range d.dirs.all {
		home := programDir(dir, user)
		entries, _ := os.ReadDir(home) // missing until the first program arrives
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), prefix) {
				continue
			}
			name := filepath.Join(home, e.Name())
			if err := checkProgram(&d.kept, name); err != nil {
				d.log.Warn("removing a damaged program; it will be fetched again", "file", name, "err", err)
				_ = os.Remove(name)
				damage = err
			} else if p, err := program.Of(name); err == nil && p.ID == id {
				return name, nil
			}
		}
	}
	return "", damage
}
