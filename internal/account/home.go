package account

import (
	"os"
	"strings"
)

// Home returns the home directory and the shell of a user of this machine. If either is unknown, it
// is "".
func Home(name string) (dir, shell string) {
	file, err := os.ReadFile("/etc/passwd")
	if dir, shell, ok := homeIn(string(file), name); err == nil && ok {
		return dir, shell
	}
	entry, err := run("getent", "passwd", "--", name)
	if err != nil {
		return "", ""
	}
	dir, shell, _ = homeIn(entry, name)
	return dir, shell
}

// homeIn finds a user in lines in the format of /etc/passwd.
func homeIn(lines, name string) (dir, shell string, ok bool) {
	for line := range strings.Lines(lines) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), ":"); len(f) >= 7 && f[0] == name {
			return f[5], f[6], true
		}
	}
	return "", "", false
}
