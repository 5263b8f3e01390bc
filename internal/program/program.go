// Package program computes identities of binaries. Binaries with the same identity contain the same
// code, so a machine that already has the code does not need a copy.
package program

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/job/failure"
)

// Program is an executable file.
type Program struct {
	ID   string // "go:" and Go's build ID, or "sha256:" and the digest of the content
	Path string
}

// Self identifies the running executable. It reads the file only once and, if the file has a build
// ID, only its start.
var Self = sync.OnceValues(func() (Program, error) {
	path, err := os.Executable()
	if err != nil {
		return Program{}, failure.New(failure.IO, "find the running executable", "", err)
	}
	return Of(path)
})

// Beside returns the path of the named program in the directory of the running executable. If it does
// not exist, Beside returns an error of kind NotFound with the given remedy.
func Beside(name, remedy string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", failure.New(failure.IO, "find", name, err)
	}
	file := filepath.Join(filepath.Dir(exe), name)
	if _, err := os.Stat(file); err != nil {
		return "", failure.New(failure.NotFound, "find", file, errors.New("it does not exist")).Fix(remedy)
	}
	return file, nil
}

// Of identifies a file by Go's build ID, which covers the whole binary, or by a digest of its
// content if the file has no build ID.
func Of(path string) (Program, error) {
	f, err := os.Open(path)
	if err != nil {
		return Program{}, failure.New(failure.KindOf(err), "identify program", path, err)
	}
	defer f.Close()
	if id, ok := buildID(f); ok {
		return Program{ID: "go:" + id, Path: path}, nil
	}
	sum, err := digest(f)
	if err != nil {
		return Program{}, failure.New(failure.IO, "identify program", path, err)
	}
	return Program{ID: "sha256:" + sum, Path: path}, nil
}

func digest(f *os.File) (string, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
