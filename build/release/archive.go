package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/cli"
	"github.com/howdah/howdah/internal/cli/lab"
)

// file is a file of an archive.
type file struct {
	text []byte
	mode int64
}

// tarball returns a compressed archive with all files below a folder. It depends only on its
// arguments.
func tarball(folder string, files map[string]file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + name, Mode: f.mode,
			Size: int64(len(f.text)), ModTime: at.UTC(), Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// documents returns the files of an archive that do not depend on the target. dir is a checkout.
func documents(dir, version string) (map[string]file, error) {
	page, err := manual(version)
	if err != nil {
		return nil, err
	}
	files := map[string]file{"share/man/man1/howdah.1": {page, 0o644}}
	for shell, name := range map[string]string{"bash": "bash-completion/completions/howdah",
		"zsh": "zsh/site-functions/_howdah", "fish": "fish/vendor_completions.d/howdah.fish"} {
		var script bytes.Buffer
		if err := cli.App(&script).Run([]string{"howdah", "completion", shell}); err != nil {
			return nil, err
		}
		files["share/"+name] = file{script.Bytes(), 0o644}
	}
	if err := add(files, "share/doc/howdah", dir, "LICENSE", "NOTICE", "CHANGELOG.md"); err != nil {
		return nil, err
	}
	err = add(files, "share/howdah/monitoring", filepath.Join(dir, "build/monitoring"), "alerts.yaml", "dashboard.json")
	return files, err
}

// add adds files of the folder dir to a folder of an archive.
func add(files map[string]file, folder, dir string, names ...string) error {
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		files[path.Join(folder, name)] = file{text, 0o644}
	}
	return nil
}

// playground builds the page to try schedulers on in the checkout dir. It returns the page's files and
// the modules in its program.
func playground(ctx context.Context, dir string, notices []byte, known map[string]*licensed,
	env ...string) (map[string]file, bom, error) {
	if _, err := run(ctx, dir, env, "make", "playground"); err != nil {
		return nil, bom{}, err
	}
	built := filepath.Join(dir, "bin/playground")
	entries, err := os.ReadDir(built)
	if err != nil {
		return nil, bom{}, err
	}
	files := map[string]file{noticesFile: {notices, 0o644}}
	for _, e := range entries {
		if err := add(files, "", built, e.Name()); err != nil {
			return nil, bom{}, err
		}
	}
	if err := add(files, "", dir, "LICENSE", "NOTICE"); err != nil {
		return nil, bom{}, err
	}
	// Go cannot read the modules of a WebAssembly program from the program.
	var bill bom
	packages, err := list(ctx, dir, page)
	if err != nil {
		return nil, bom{}, err
	}
	paths := []string{goModule}
	for _, p := range packages {
		paths = append(paths, p.Module.Path)
	}
	return files, bill, bill.addModules(page.pattern, paths, known)
}

// manual returns the manual page of howdah, including the commands of howdah-lab.
func manual(version string) ([]byte, error) {
	app := cli.App(nil)
	for _, c := range lab.App().Commands {
		i := slices.IndexFunc(app.Commands, func(stub *urfave.Command) bool { return stub.Name == c.Name })
		app.Commands[i] = c
	}
	explain(app.Commands, "howdah")
	app.UsageText = "howdah [generic options] command [options] [arguments]"
	// The page is generated from Markdown, in which only indented lines keep their ends.
	app.Description = strings.ReplaceAll(strings.Replace(app.Description, "\n", "\n\n", 1), "\n  ", "\n      ")
	page, err := app.ToManWithSection(1)
	return []byte(strings.Replace(page, ".TH howdah 1", `.TH HOWDAH 1 "" "howdah `+version+`"`, 1)), err
}

// explain sets the usage text of each command that takes arguments, because the page lacks them
// otherwise.
func explain(commands []*urfave.Command, before string) {
	for _, c := range commands {
		line := before + " " + c.Name
		if c.ArgsUsage != "" && c.UsageText == "" {
			c.UsageText = line + " " + strings.ReplaceAll(c.ArgsUsage, "<", `\<`) // Markdown would omit a <TAG>
		}
		explain(c.Subcommands, line)
	}
}
