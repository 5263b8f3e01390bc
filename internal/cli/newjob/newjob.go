// Package newjob creates Go modules for new jobs. Start with Create.
package newjob

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/howdah/howdah/job/failure"
)

// template is the folder with the files of a module, which is itself a tested program.
//
//go:embed myjob
var template embed.FS

const (
	templateName = "myjob"
	howdah       = "github.com/howdah/howdah"
	goVersion    = "1.26.0" // of howdah's go.mod
)

// Source says where the module gets howdah from.
type Source struct {
	Version string // a version that Go's module proxy has
	Dir     string // a checkout, which replaces Version; "" means none
}

// Commands that create no job need not compile these expressions.
var (
	// release matches a version that a proxy can have. It excludes those that git describe derives
	// from an earlier tag or from modified files.
	release   = lazy(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	described = lazy(`-g[0-9a-f]+$|dirty$`)
	validName = lazy(`^[a-z][a-z0-9_-]*$`)
)

// lazy returns a function that compiles an expression in its first call.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Choose returns the source that chosen names: a checkout's directory or a version. If chosen is "",
// it is the checkout that contains the running program's file, or else version, the running
// program's own version. It returns an error of kind Usage if there is no such source.
func Choose(chosen, program, version string) (Source, error) {
	if chosen != "" {
		if dir := checkout(chosen); dir != "" {
			return Source{Dir: dir}, nil
		}
		if !release().MatchString(chosen) {
			return Source{}, failure.New(failure.Usage, "use howdah from", chosen,
				errors.New("it is neither a checkout of howdah nor a version such as v1.2.3"))
		}
		return Source{Version: chosen}, nil
	}
	for dir := filepath.Dir(program); ; dir = filepath.Dir(dir) {
		if found := checkout(dir); found != "" {
			return Source{Dir: found}, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if release().MatchString(version) && !described().MatchString(version) {
		return Source{Version: version}, nil
	}
	return Source{}, failure.New(failure.Usage, "find howdah's code", "", fmt.Errorf("version %q is no release", version)).
		Fix("name a checkout or a version with --howdah")
}

// checkout returns the absolute path of dir if it contains howdah's go.mod, otherwise "".
func checkout(dir string) string {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	abs, absErr := filepath.Abs(dir)
	if err != nil || absErr != nil || !bytes.HasPrefix(mod, []byte("module "+howdah+"\n")) {
		return ""
	}
	return abs
}

// Create creates a module in dir, which must not exist or be empty. The last element of dir is the
// name of the job, the program, and the module, whose path starts with example.com. Create returns an
// error of kind Usage for an invalid name, and of kind Exists if dir is not empty.
func Create(dir string, from Source) error {
	name := filepath.Base(dir)
	if !validName().MatchString(name) {
		return failure.New(failure.Usage, "create job", name,
			errors.New("a name consists of lower-case letters, digits, - and _, and starts with a letter"))
	}
	if old, err := os.ReadDir(dir); len(old) > 0 {
		return failure.New(failure.Exists, "create job", dir, errors.New("the directory is not empty"))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure.New(failure.KindOf(err), "create job", dir, err)
	}
	files, err := filesOf(name, from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return failure.New(failure.KindOf(err), "create job", dir, err)
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o666); err != nil {
			return failure.New(failure.KindOf(err), "create job", dir, err)
		}
	}
	return nil
}

// filesOf returns the files of a module by name.
func filesOf(name string, from Source) (map[string][]byte, error) {
	mod := "module example.com/" + name + "\n\ngo " + goVersion + "\n\nrequire " + howdah + " "
	if from.Dir == "" {
		mod += from.Version + "\n"
	} else {
		mod += "v0.0.0-00010101000000-000000000000\n\nreplace " + howdah + " => " + fmt.Sprintf("%q", from.Dir) + "\n"
	}
	files := map[string][]byte{"go.mod": []byte(mod), ".gitignore": []byte("/" + name + "\n")}
	entries, err := template.ReadDir(templateName)
	for _, e := range entries {
		content, err := template.ReadFile(templateName + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = bytes.ReplaceAll(content, []byte(templateName), []byte(name))
	}
	return files, err
}
