package daemon

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// identity identifies a manager. All managers of a pool use the same journal, one after another. If
// two managers of a pool ever run at the same time, nodes obey the one with the greater
// incarnation.
type identity struct {
	Pool        string `json:"pool"`        // random, created with the journal
	Incarnation int64  `json:"incarnation"` // start time in ms since the epoch, but greater than the previous one
}

const identityFile = "manager.json"

// nextIdentity reads the identity of the previous manager in dir, and writes and returns the next
// one. The caller must hold the lock of dir.
func nextIdentity(dir string, now time.Time) (identity, error) {
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
	text, err := json.Marshal(id)
	if err == nil {
		err = writeDurably(file, text)
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
	if err != nil {
		return id, failure.New(failure.Corrupt, "read", file, err).Fix("remove the directory's files")
	}
	return id, nil
}

// writeDurably replaces a file atomically. It syncs the new content, but not the directory.
func writeDurably(file string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
