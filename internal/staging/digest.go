package staging

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// Digest returns the SHA-256 of a file's content. For a directory, it returns the SHA-256 of the
// names and contents of the files in the tree.
func Digest(name string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if p != name {
			fmt.Fprintf(h, "%q\n", p[len(name):])
		}
		return hashFile(h, p)
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// hashFile adds a file's length and content to the digest. Because of the length, different trees
// have different digests.
func hashFile(h hash.Hash, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return failure.New(failure.Usage, "ship", name, fmt.Errorf("it is not a regular file"))
	}
	fmt.Fprintf(h, "%d\n", info.Size())
	_, err = io.Copy(h, f)
	return err
}

// CheckProgram returns an error of kind Corrupt if a local copy of the shipped program at uri does not
// match the digest in uri. A program elsewhere has no digest and always passes.
func CheckProgram(uri, local string) error {
	home := path.Dir(uri)
	if path.Base(path.Dir(home)) != ProgramDir {
		return nil
	}
	digest, err := Digest(local)
	if err == nil && digest != path.Base(home) {
		err = failure.New(failure.Corrupt, "check program", uri, errors.New("its content has changed")).
			Fix("remove " + home + " and submit the job again")
	}
	return err
}
