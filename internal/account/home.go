package account

import (
	"os"
	"strings"
)

// Home returns the home directory and the shell of the named user of this machine. A result that is
// unknown is "".
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

// homeIn is like Home, but looks for the user in lines, which have the format of /etc/passwd. ok
// reports whether it found the user.
func homeIn(lines, name string) (dir, shell string, ok bool) {
	for line := range strings.Lines(lines) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), ":"); len(f) >= 7 && f[0] == name {
			return f[5], f[6], true
		}
	}
	return "", "", false
}
