// Command release makes the files of a release: archives for every target with man pages and shell
// completion, a bill of materials for each, the third-party notices, and SHA256SUMS.
//
//	release VERSION
//
// It writes them to the folder dist. It builds HEAD twice, in two clones with separate build caches,
// and fails if a file differs. It also installs howdah with go install from a module proxy made of
// HEAD.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const module = "github.com/howdah/howdah"

// targets are the systems that a release supports. Builds for Linux are static.
var targets = []struct{ os, arch string }{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
}

var binaries = []string{"howdah", "howdah-lab"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: release VERSION")
		os.Exit(2)
	}
	if err := release(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		stop()
		os.Exit(1)
	}
}

func release(ctx context.Context, version string) error {
	if err := ready(ctx, version); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	first, second := filepath.Join(tmp, "1"), filepath.Join(tmp, "another", "folder")
	files, err := build(ctx, version, first)
	if err != nil {
		return err
	}
	again, err := build(ctx, version, second, "GOCACHE="+filepath.Join(tmp, "cache"))
	if err != nil {
		return err
	}
	if err := same(files, again); err != nil {
		return err
	}
	if err := install(ctx, version, first, tmp); err != nil {
		return fmt.Errorf("go install: %w", err)
	}
	files["SHA256SUMS"] = sums(files)
	return write("dist", files)
}

var semantic = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// ready returns an error unless HEAD can become the release: the version is a semantic one, there
// are no changes that HEAD lacks, and the change log describes the version.
func ready(ctx context.Context, version string) error {
	if !semantic.MatchString(version) {
		return fmt.Errorf("VERSION %q is not a semantic version. Run make release VERSION=v1.2.3", version)
	}
	changes, err := run(ctx, ".", nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		return fmt.Errorf("a release contains only committed changes. Commit or stash these:\n%s", changes)
	}
	log, err := os.ReadFile("CHANGELOG.md")
	if err == nil && !bytes.Contains(log, []byte("\n## ["+version[1:]+"] - 2")) {
		err = fmt.Errorf("CHANGELOG.md has no section %q with a date", "## ["+version[1:]+"]")
	}
	return err
}

// build clones HEAD into dir and returns the files of the release by name.
func build(ctx context.Context, version, dir string, env ...string) (map[string][]byte, error) {
	if _, err := run(ctx, ".", nil, "git", "clone", "--quiet", "--shared", ".", dir); err != nil {
		return nil, err
	}
	// The go command records the tag as the version of the module.
	if _, err := run(ctx, dir, nil, "git", "tag", "--force", version); err != nil {
		return nil, err
	}
	committed, err := run(ctx, dir, nil, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(committed)))
	if err != nil {
		return nil, err
	}
	known, err := modules(ctx, dir)
	if err != nil {
		return nil, err
	}
	common, err := documents(dir, version)
	if err != nil {
		return nil, err
	}
	notices, err := notices(known)
	if err != nil {
		return nil, err
	}
	common["share/doc/howdah/"+noticesFile] = file{notices, 0o644}
	files := map[string][]byte{noticesFile: notices}
	for _, t := range targets {
		name := fmt.Sprintf("howdah-%s-%s-%s", version, t.os, t.arch)
		fmt.Fprintln(os.Stderr, "building", name, "in", dir)
		if _, err := run(ctx, dir, append(env, "GOOS="+t.os, "GOARCH="+t.arch), "make", "build",
			"VERSION="+version); err != nil {
			return nil, err
		}
		archive := maps.Clone(common)
		var bill bom
		for _, b := range binaries {
			path := filepath.Join(dir, "bin", b)
			if err := bill.add(path, version, known); err != nil {
				return nil, err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if t.os == "linux" && !static(text) {
				return nil, fmt.Errorf("%s for %s/%s is not static", b, t.os, t.arch)
			}
			archive["bin/"+b] = file{text, 0o755}
		}
		files[name+".cdx.json"] = bill.json(version, at)
		if files[name+".tar.gz"], err = tarball(name, archive, at); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// static reports whether an ELF program runs without a dynamic linker.
func static(program []byte) bool {
	f, err := elf.NewFile(bytes.NewReader(program))
	return err == nil && !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// same returns an error if two builds differ.
func same(a, b map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !bytes.Equal(a[name], b[name]) {
			return fmt.Errorf("%s differs between two builds of the same commit", name)
		}
	}
	if len(a) != len(b) {
		return errors.New("two builds of the same commit have different files")
	}
	return nil
}

// install makes a module proxy of the clone in src, and installs howdah from it.
func install(ctx context.Context, version, src, tmp string) error {
	proxy := filepath.Join(tmp, "proxy")
	at := filepath.Join(proxy, module, "@v", version)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(at+".info", fmt.Appendf(nil, `{"Version":%q}`, version), 0o644); err != nil {
		return err
	}
	requirements, err := os.ReadFile(filepath.Join(src, "go.mod"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(at+".mod", requirements, 0o644); err != nil {
		return err
	}
	// A module excludes the modules in its folders.
	if _, err := run(ctx, src, nil, "git", "archive", "--format=zip", "--prefix="+module+"@"+version+"/",
		"--output="+at+".zip", version, ".", ":(exclude)build/tools"); err != nil {
		return err
	}
	cache, err := run(ctx, src, nil, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	bin := filepath.Join(tmp, "bin")
	// go.sum has vouched for the modules in the cache, so they need no checksum database.
	_, err = run(ctx, tmp, []string{"GOBIN=" + bin, "GOMODCACHE=" + filepath.Join(tmp, "mod"), "GOSUMDB=off",
		"GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0",
		"GOPROXY=file://" + proxy + ",file://" + strings.TrimSpace(string(cache)) + "/cache/download"},
		"go", "install", module+"/cmd/...@"+version)
	if err != nil {
		return err
	}
	got, err := run(ctx, tmp, nil, filepath.Join(bin, "howdah"), "version")
	if err == nil && !strings.HasPrefix(string(got), "howdah "+version+"\n") {
		err = fmt.Errorf("the installed program is %q", got)
	}
	return err
}

// run runs a command in dir and returns its output. Its errors contain the command's messages.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w\n%s", c, err, exit.Stderr)
	}
	return out, err
}

func sums(files map[string][]byte) (list []byte) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = fmt.Appendf(list, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return list
}

// write writes the files to dir, from which it removes the archives and bills of earlier releases.
func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "howdah-v*"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
