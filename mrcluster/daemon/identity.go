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

// identity tells managers apart. A pool is what shares one journal; of two managers of a pool, which there should never be, the one
// with the greater incarnation is obeyed.
type identity struct {
	Pool        string `json:"pool"`        // random, made with the journal
	Incarnation int64  `json:"incarnation"` // ms since the epoch at the manager's start, and always more than the last one
}

const identityFile = "manager.json"

// nextIdentity reads the identity of the last manager in dir and writes that of the next one. The caller holds the lock of dir.
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
		err = errors.New("it names no pool")
	}
	if err != nil {
		return id, failure.New(failure.Corrupt, "read", file, err).Fix("remove it together with what lies beside it")
	}
	return id, nil
}

// writeDurably replaces a file at once or not at all.
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
