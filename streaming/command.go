package streaming

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// splitCommand cuts a command into words as Hadoop does, without a shell: at blanks, and at quotes of either kind, which keep
// blanks together. A quote ends the word before it; there is no escape and no empty word.
func splitCommand(command string) []string {
	var words []string
	var quote byte
	start := 0
	for i := 0; i <= len(command); i++ {
		if i < len(command) {
			switch c := command[i]; {
			case quote == 0 && (c == '\'' || c == '"'):
				quote = c
			case quote != 0 && c == quote:
				quote = 0
			case quote == 0 && c == ' ':
			default:
				continue
			}
		}
		if start < i {
			words = append(words, command[start:i])
		}
		start = i + 1
	}
	return words
}

// findProgram gives the file that a command's first word names: an absolute path as it is, anything else in dirs and then on
// $PATH. What lies in the
// first directory, the attempt's own, is made executable.
func findProgram(name string, dirs ...string) (string, error) {
	if filepath.IsAbs(name) {
		return name, runnable(name)
	}
	for i, dir := range append(dirs, filepath.SplitList(os.Getenv("PATH"))...) {
		if dir == "" {
			continue
		}
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if i == 0 {
			_ = os.Chmod(file, info.Mode().Perm()|0o111) // somebody else's file may be executable already
		}
		return file, runnable(file)
	}
	return "", failure.New(failure.NotFound, "find command", name, errors.New("no such file in the task's directory or on PATH")).
		Fix("ship it with -files " + name + ", or install it on every node")
}

// runnable refuses what cannot be started.
func runnable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return failure.New(failure.KindOf(err), "find command", file, errors.New("no such file")).Fix("give the path of a program that every node has, or ship one with -files")
	case info.IsDir():
		return failure.New(failure.Usage, "start", file, errors.New("it is a directory"))
	case info.Mode().Perm()&0o111 == 0:
		return failure.New(failure.Permission, "start", file, errors.New("it is not executable")).Fix("chmod +x " + file)
	}
	return nil
}

// explainStart adds what the kernel's refusal means to a user.
func explainStart(command string, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "argument list too long"):
		return failure.New(failure.User, "start", command, err).Fix("the job's settings are exported to the environment: shorten long ones with -D " + keyTruncate + "=10000")
	case strings.Contains(text, "exec format error"):
		return failure.New(failure.User, "start", command, err).Fix("a script begins with #! and its interpreter")
	case strings.Contains(text, "no such file"):
		return failure.New(failure.NotFound, "start", command, fmt.Errorf("%w: the program, or the interpreter that its first line names", err))
	}
	return err
}
