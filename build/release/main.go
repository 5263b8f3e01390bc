// Command release makes the files of a release: archives for every target with man pages and shell
// completion, the playground, a bill of materials for each archive, container images, the third-party
// notices, and SHA256SUMS.
//
//	release [-images=false] VERSION
//
// It writes them to the folder dist and lists them. It builds HEAD twice, in two clones with separate
// build caches, and fails if a file other than an image differs. It opens the journals of all
// releases, installs howdah with go install from a module proxy made of HEAD, and runs a job in each
// image. Images need Docker; release removes them from Docker after it has saved them.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

const module = "github.com/howdah/howdah"

// target is a system and the pattern of the programs for it.
type target struct{ os, arch, pattern string }

// targets are the systems that a release supports. Builds for Linux are static.
var targets = []target{{"linux", "amd64", "./cmd/..."}, {"linux", "arm64", "./cmd/..."},
	{"darwin", "amd64", "./cmd/..."}, {"darwin", "arm64", "./cmd/..."}}

// page is the playground, which runs in browsers.
var page = target{"js", "wasm", "./cmd/howdah-playground"}

var binaries = []string{"howdah", "howdah-lab"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	withImages := flag.Bool("images", true, "make container images, too")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: release [-images=false] VERSION")
		os.Exit(2)
	}
	if err := release(ctx, flag.Arg(0), *withImages); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		stop()
		os.Exit(1)
	}
}

func release(ctx context.Context, version string, withImages bool) error {
	if err := ready(ctx, version); err != nil {
		return err
	}
	platform := ""
	if withImages {
		var err error
		if platform, err = docker(ctx); err != nil {
			return err
		}
	}
	tmp, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	// A killed go command leaves its own temporary files.
	if err := os.Setenv("TMPDIR", tmp); err != nil {
		return err
	}
	first, second := filepath.Join(tmp, "1"), filepath.Join(tmp, "another", "folder")
	files, err := build(ctx, version, first)
	if err != nil {
		return err
	}
	if err := journals(ctx, first); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "installing with go install")
	if err := install(ctx, version, first, tmp); err != nil {
		return fmt.Errorf("go install: %w", err)
	}
	// Images differ between builds, so they stay apart from the files that the second build must equal.
	var made map[string][]byte
	if withImages {
		if made, err = images(ctx, version, platform, first, files[noticesFile]); err != nil {
			return err
		}
	}
	again, err := build(ctx, version, second, "GOCACHE="+filepath.Join(tmp, "cache"))
	if err != nil {
		return err
	}
	if err := same(files, again); err != nil {
		return err
	}
	maps.Copy(files, made)
	files["SHA256SUMS"] = sums(files)
	if err := write("dist", files); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Printf("%8.1f MB  dist/%s\n", float64(len(files[name]))/1e6, name)
	}
	if !withImages {
		fmt.Println("no images: IMAGES=no")
	}
	return nil
}

// semantic matches versions that the go command accepts as tags: those of Semantic Versioning, with
// a leading v and without build metadata.
var semantic = regexp.MustCompile(`^v` + number + `\.` + number + `\.` + number +
	`(-` + identifier + `(\.` + identifier + `)*)?$`)

const (
	number     = `(0|[1-9]\d*)`
	identifier = `(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)`
)

// recorded are the folders with a journal of each release.
var recorded = []string{"jobtracker/testdata/releases", "mrcluster/daemon/testdata/releases"}

// ready returns an error unless HEAD can become the release: the version is a semantic one that no
// other commit has, there are no changes that HEAD lacks, the change log describes the version and
// the upgrade to it, and the journals that later versions must open are recorded.
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
	commits, err := run(ctx, ".", nil, "git", "for-each-ref", "--format=%(if)%(*objectname)%(then)%(*objectname)"+
		"%(else)%(objectname)%(end)", "refs/tags/"+version)
	if err != nil {
		return err
	}
	head, err := run(ctx, ".", nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if len(commits) > 0 && !bytes.Equal(commits, head) {
		return fmt.Errorf("the tag %s names another commit, %.12s. Choose a new VERSION", version, commits)
	}
	for _, dir := range recorded {
		if _, err := os.Stat(filepath.Join(dir, version)); err != nil {
			return fmt.Errorf("no journal of this release is recorded: %w. "+
				"Run go test ./jobtracker ./mrcluster/daemon -run JournalsOfReleases -record %s, and commit", err, version)
		}
	}
	log, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	_, section, found := strings.Cut(string(log), "\n## ["+version[1:]+"] - 2")
	if !found {
		return fmt.Errorf("CHANGELOG.md has no section %q with a date", "## ["+version[1:]+"]")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	if !strings.Contains(section, "\n### Upgrade\n") {
		return fmt.Errorf("the section of %s in CHANGELOG.md has no upgrade notes. "+
			"Add them below \"### Upgrade\", also if an upgrade needs no step", version)
	}
	return nil
}

// journals returns an error unless the checkout in dir opens the journals of all releases.
func journals(ctx context.Context, dir string) error {
	fmt.Fprintln(os.Stderr, "opening the journals of all releases")
	out, err := run(ctx, dir, nil, "go", "test", "-vet=off", "-run", "^TestJournalsOfReleases$", "./jobtracker",
		"./mrcluster/daemon")
	if err == nil && bytes.Contains(out, []byte("no tests to run")) {
		err = fmt.Errorf("no test opens the journals of releases:\n%s", out)
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
	name := "howdah-" + version + "-playground"
	fmt.Fprintln(os.Stderr, "building", name, "in", dir)
	static, bill, err := playground(ctx, dir, notices, known, env...)
	if err != nil {
		return nil, err
	}
	files[name+".cdx.json"] = bill.json(version, at)
	files[name+".tar.gz"], err = tarball(name, static, at)
	return files, err
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
	// The go command reads the list to find out whether the latest version deprecates the module.
	if err := os.WriteFile(filepath.Join(filepath.Dir(at), "list"), []byte(version+"\n"), 0o644); err != nil {
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

// run runs a command in dir and returns its output. Its errors contain the command's messages. If ctx
// ends, run kills the command with its children, so that none writes to a folder that is being removed.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w\n%s%s", c, err, out, exit.Stderr)
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
