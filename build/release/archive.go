package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"os"
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
	for _, name := range []string{"LICENSE", "NOTICE", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files["share/doc/howdah/"+name] = file{text, 0o644}
	}
	return files, nil
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
