package daemon

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// identity identifies a manager. All managers of a pool use the same journal, one after another. If
// two managers of a pool run at the same time, nodes obey the one with the greater incarnation.
type identity struct {
	Pool        string `json:"pool"`          // random, created with the journal
	Incarnation int64  `json:"incarnation"`   // start in ms since the epoch, but at least the previous one plus 1
	Sum         string `json:"crc,omitempty"` // checksum of the other fields; missing in files of earlier versions
}

func (id identity) sum() string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %d", id.Pool, id.Incarnation)))
}

const identityFile = "manager.json"

// nextIdentity reads the identity of the previous manager in dir, and writes and returns the next
// one. The caller must hold the lock of dir.
func nextIdentity(dir string, fs disk.FS, now time.Time) (identity, error) {
	file := filepath.Join(dir, identityFile)
	id, err := readIdentity(file)
	if err != nil {
		return id, err
	}
	if id.Pool == "" {
		b := make([]byte, 8)
		rand.Read(b) // never fails
		id.Pool = hex.EncodeToString(b)
	}
	id.Incarnation = max(id.Incarnation+1, now.UnixMilli())
	id.Sum = id.sum()
	text, err := json.Marshal(id)
	if err == nil {
		err = disk.Replace(fs, file, append(text, '\n'), 0o600)
	}
	if err != nil {
		return id, failure.New(failure.KindOf(err), "write", file, err)
	}
	return id, nil
}

func readIdentity(file string) (id identity, err error) {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return id, nil
	case err != nil:
		return id, failure.New(failure.KindOf(err), "read", file, err)
	}
	if err = json.Unmarshal(text, &id); err == nil && (id.Pool == "" || id.Incarnation < 1) {
		err = errors.New("the pool or its incarnation is missing")
	}
	if err == nil && id.Sum != "" && id.Sum != id.sum() {
		err = errors.New("the checksum is wrong")
	}
	if err != nil {
		return id, failure.New(failure.Corrupt, "read", file, err).
			Fix("restore the file from a copy, or remove it if no node has data of the pool")
	}
	return id, nil
}
