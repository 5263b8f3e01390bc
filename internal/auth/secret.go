// Package auth decides who may use a daemon. The daemons of a cluster and their administrators
// share a [Secret]. In a handshake, the daemon proves that it knows the secret, and a client proves
// that it knows the secret or has a token or a Kerberos login.
package auth

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// KeySecretFile is the configuration key for the file with the cluster's secret.
const KeySecretFile = "howdah.security.secret.file"

// The size of a secret has two limits. A short secret can be guessed, and a long file is probably
// not a secret.
const (
	minSecret = 32
	maxSecret = 4096
)

// Secret is the text that the daemons and administrators of a cluster share. Everybody who knows it
// is an administrator. A Secret is immutable.
type Secret struct {
	file string
	text []byte
}

// NewSecret returns a random secret that is not stored in a file.
func NewSecret() *Secret { return &Secret{"memory", []byte(random())} }

func random() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Load reads the secret from the file that [KeySecretFile] names. Without the key, it reads the file
// howdah/secret in the user's configuration directory, and creates the file if it is missing. It
// rejects a file that is shorter than 32 bytes, that other users can read or write, or that belongs
// to a user other than root and this process's user.
func Load(c *conf.Config) (*Secret, error) {
	if file := conf.SecuritySecretFile.Get(c); file != "" {
		s, err := read(file)
		if err != nil {
			fix := "copy the secret of the cluster's daemons to this file; only for a new cluster, create it: " +
				"(umask 077; head -c 32 /dev/urandom | base64 > " + file + ")"
			if errors.Is(err, os.ErrPermission) {
				fix = "ask an administrator for a token (howdah token create), and save it as " + UsersTokenFile()
			}
			return nil, c.Refuse(KeySecretFile, err).Fix(Remedy(err, fix))
		}
		return s, nil
	}
	s, err := ofUser()
	if err != nil {
		return nil, failure.New(failure.Config, "find this user's secret", "", err).
			Fix(Remedy(err, "set HOME to a directory of your own, or set "+KeySecretFile))
	}
	return s, nil
}

// ofUser returns the secret in the user's configuration directory. It creates a missing secret.
func ofUser() (*Secret, error) {
	dir, err := usersDir()
	if err != nil {
		return nil, err
	}
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "secret")
	s, err := read(file)
	if !errors.Is(err, os.ErrNotExist) {
		return s, err
	}
	if err := create(dir, file); err != nil {
		return nil, err
	}
	return read(file)
}

// usersDir returns the directory with the secret and the token of this user.
func usersDir() (string, error) {
	base, err := os.UserConfigDir()
	return filepath.Join(base, "howdah"), err
}

// makeDir creates a directory and its missing parents. The directory, or the existing one above the
// missing ones, must belong to this user or to root. After "sudo" without -H, the home directory is
// still that of another user, who could replace the secret, even by a link to a file of root.
func makeDir(dir string) error {
	for up := dir; ; up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if errors.Is(err, os.ErrNotExist) && up != filepath.Dir(up) {
			continue
		}
		if err != nil {
			return err
		}
		if err := trusted(up, info); err != nil {
			return err
		}
		return os.MkdirAll(dir, 0o700)
	}
}

// create creates the file with a new secret unless another process does so first. The file appears
// with its complete content.
func create(dir, file string) (err error) {
	tmp, err := os.CreateTemp(dir, ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = io.WriteString(tmp, random()+"\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), file); !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

func read(file string) (*Secret, error) {
	b, err := ReadPrivate(file, maxSecret)
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSpace(b)
	if len(b) < minSecret {
		return nil, fmt.Errorf("%s has %d bytes; want at least %d", file, len(b), minSecret)
	}
	if _, err := ParseToken(string(b), file); err == nil {
		return nil, errors.New(file + " contains a token, whose holder would then know the secret")
	}
	return &Secret{file, b}, nil
}

// ReadPrivate reads a file of at most limit bytes that only this user or root can read and write.
func ReadPrivate(file string, limit int64) ([]byte, error) { return readOwn(file, limit, 0o077) }

// ReadTrusted reads a file of at most limit bytes that only this user or root can write.
func ReadTrusted(file string, limit int64) ([]byte, error) { return readOwn(file, limit, 0o022) }

// readOwn reads a file of this user or of root. It rejects files with any of the mode bits in never.
func readOwn(file string, limit int64, never os.FileMode) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New(file + " is not a regular file")
	}
	if err := trusted(file, info); err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&never != 0 {
		return nil, exposed{file, mode, never}
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", file, limit)
	}
	return b, err
}

// exposed is the error for a file whose mode lets other users read or write it.
type exposed struct {
	file  string
	mode  os.FileMode
	never os.FileMode // bits that the mode must not have
}

func (e exposed) Error() string {
	use := "use"
	if e.never == 0o022 {
		use = "change"
	}
	return fmt.Sprintf("%s has mode %#o, so other users can %s it", e.file, e.mode, use)
}

// Remedy returns the remedy for an exposed file and, for other errors, the given remedy.
func Remedy(err error, other string) string {
	var e exposed
	if errors.As(err, &e) {
		return fmt.Sprintf("run: chmod %o %s", 0o666&^e.never, e.file)
	}
	return other
}

// trusted returns an error if a file belongs neither to this process's user nor to root.
func trusted(name string, info os.FileInfo) error {
	uid, ok := owner(info)
	if !ok || uid == 0 || uid == os.Geteuid() {
		return nil
	}
	return fmt.Errorf("%s belongs to %s, not to %s", name, passwd.User(uid), passwd.Me())
}

// File returns the name of the file that contains the secret. If s is nil, it returns "".
func (s *Secret) File() string {
	if s == nil {
		return ""
	}
	return s.file
}

// Key derives a 32-byte key for the named use. Keys for different uses reveal nothing about each
// other or about the secret (HKDF, RFC 5869).
func (s *Secret) Key(use string) []byte {
	key, err := hkdf.Key(sha256.New, s.text, nil, "howdah "+use, sha256.Size)
	if err != nil {
		panic(err) // only for keys longer than 255 hashes
	}
	return key
}

// Fingerprint returns a short text that identifies the secret in messages without revealing it.
func (s *Secret) Fingerprint() string { return hex.EncodeToString(s.Key("fingerprint")[:4]) }
