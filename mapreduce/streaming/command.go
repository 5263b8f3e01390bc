package streaming

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// splitCommand splits command into words as Hadoop does, without a shell. Spaces separate words,
// except inside single or double quotes. A quote ends the preceding word. There are no escapes and
// no empty words.
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

// needsShell reports whether any word of command starts like an unquoted shell operator. The
// program gets such a word as an argument, which is rarely what the user wants.
func needsShell(command string) bool {
	bare := strings.Fields(command)
	return slices.ContainsFunc(splitCommand(command), func(word string) bool {
		return strings.IndexAny(strings.TrimPrefix(word, "2"), "|&;<>") == 0 && slices.Contains(bare, word)
	})
}

// findProgram returns the file of the program called name, the first word of a command. If name is
// an absolute path, findProgram returns it unchanged. Otherwise, it searches dirs and then $PATH.
// The first directory is the attempt's own. If findProgram finds the program there, it makes the
// program executable.
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
			_ = os.Chmod(file, info.Mode().Perm()|0o111) // can fail if another user owns the file; it may already be executable
		}
		return file, runnable(file)
	}
	return "", failure.New(failure.NotFound, "find command", name,
		errors.New("no such file in the task's directory or on PATH")).
		Fix("ship it with -files " + name + ", or install it on every node")
}

// runnable returns an error if a file is not executable.
func runnable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return failure.New(failure.KindOf(err), "find command", file,
			errors.New("no such file")).Fix("use the path of a program that every node has, or ship a " +
			"program with -files")
	case info.IsDir():
		return failure.New(failure.Usage, "start", file, errors.New("it is a directory"))
	case info.Mode().Perm()&0o111 == 0:
		return failure.New(failure.Permission, "start", file, errors.New("it is not executable")).Fix("chmod +x " + file)
	}
	return nil
}

// explainStart adds an explanation to err, the error that the kernel returned when this process
// tried to start command.
func explainStart(command string, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "argument list too long"):
		return failure.New(failure.User, "start", command, err).Fix("the environment contains the job's " +
			"settings; truncate long settings with -D " + conf.StreamJobConfTruncateLimit.Name + "=10000")
	case errors.Is(err, syscall.ENOEXEC):
		return failure.New(failure.User, "start", command, syscall.ENOEXEC).Fix("start a script with #! and its " +
			"interpreter")
	case strings.Contains(text, "no such file"):
		return failure.New(failure.NotFound, "start", command,
			fmt.Errorf("%w: the program or the interpreter in its first line is missing", err))
	}
	return err
}
