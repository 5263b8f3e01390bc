// Package kerberos logs in to a Kerberos realm with a keytab or a ticket cache. It implements the
// client side of SASL's GSSAPI mechanism (RFC 4752 over RFC 4121). Start with FromKeytab or
// FromCache, which return a Login. A Login gets a Ticket for each service. The gokrb5 library talks
// to the KDC. Daemons that check logins start with NewAcceptor.
package kerberos

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jcmturner/gokrb5/v8/config"

	"github.com/howdah/howdah/job/failure"
)

// ConfigEnv is the environment variable with the path of krb5.conf. It can name several files,
// separated by colons.
const ConfigEnv = "KRB5_CONFIG"

const defaultConfig = "/etc/krb5.conf"

// maxIncludes is the maximum number of files to read for a configuration. There is a limit because
// a file can include itself.
const maxIncludes = 64

// loadRealms reads files, a list as in $KRB5_CONFIG, and any files that they include. "" means
// /etc/krb5.conf.
func loadRealms(files string) (*config.Config, error) {
	if files == "" {
		files = defaultConfig
	}
	s := sections{lines: map[string][]string{}}
	found := false
	for _, name := range filepath.SplitList(files) {
		err := s.read(name)
		switch {
		case err == nil:
			found = true
		case !errors.Is(err, fs.ErrNotExist): // if there are several files, some may be missing
			return nil, failure.New(failure.Config, "read Kerberos' configuration", name, err)
		}
	}
	if !found {
		return nil, failure.New(failure.Config, "read Kerberos' configuration", files, errors.New("the file does not exist")).
			Fix("set $" + ConfigEnv + " to the realm's krb5.conf")
	}
	c, err := config.NewFromString(s.String())
	var unsupported config.UnsupportedDirective
	if err != nil && !errors.As(err, &unsupported) {
		return nil, failure.New(failure.Config, "read Kerberos' configuration", files, err)
	}
	return c, nil
}

// sections collects the lines of each section from all files. The library requires each section to
// occur once and does not support includes.
type sections struct {
	names []string
	lines map[string][]string
	files int
}

func (s *sections) read(name string) error {
	if s.files++; s.files > maxIncludes {
		return fmt.Errorf("krb5.conf includes more than %d files", maxIncludes)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	section := ""
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		line := strings.TrimSpace(scanner.Text())
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "" || line[0] == '#' || line[0] == ';':
		case word == "include":
			err = s.read(strings.TrimSpace(rest))
		case word == "includedir":
			err = s.readDir(strings.TrimSpace(rest))
		case word == "module":
		case line[0] == '[':
			if section = line; !slices.Contains(s.names, section) {
				s.names = append(s.names, section)
			}
		default:
			s.lines[section] = append(s.lines[section], line)
		}
		if err != nil {
			return err
		}
	}
	return scanner.Err()
}

// readDir reads those files of a directory whose names consist of letters, digits, dashes, and
// underscores, optionally followed by .conf.
func (s *sections) readDir(name string) error {
	entries, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		base := strings.TrimSuffix(e.Name(), ".conf")
		if e.IsDir() || base == "" || strings.ContainsFunc(base, func(c rune) bool {
			return !(c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
		}) {
			continue
		}
		if err := s.read(filepath.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (s *sections) String() string {
	var b strings.Builder
	for _, name := range s.names {
		b.WriteString(name + "\n")
		for _, line := range s.lines[name] {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// DefaultRealm returns the realm for names without a realm.
func DefaultRealm() (string, error) {
	realms, err := loadRealms(os.Getenv(ConfigEnv))
	if err != nil {
		return "", err
	}
	return realms.LibDefaults.DefaultRealm, nil
}
